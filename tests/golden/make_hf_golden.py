"""Writes what Hugging Face's BERT answers, for the tests to compare with.

Needs torch and transformers, which the project itself does not depend on.
The arrays kept beside this file come from torch 2.13.0, transformers 5.23.0
and numpy 2.4.6 on Python 3.11:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_hf_golden.py

makes `hf_gelu.npz` (erf GELU) and `hf_gelu_new.npz` (tanh GELU) here. Both
hold the same weights and inputs, so only the activation tells them apart.
Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/...`, and
`config`, the text of a Hugging Face `config.json`. Every seed is fixed: a
second run gives the same bytes (another processor may round otherwise).
"""

import os
import pathlib

import numpy as np
import torch
from transformers import BertConfig
from transformers import BertForPreTraining

_HERE = pathlib.Path(__file__).resolve().parent
_SEED = 1810
_STDDEV = 0.5
_LENGTHS = (12, 7, 3)
_SEGMENT_STARTS = (6, 4, 2)  # the first position of segment 1
_MASKED_LM_POSITIONS = ((1, 5, 8, 11), (2, 4, 6, 0), (1, 0, 0, 0))


def make_model(hidden_act):
    """Returns a tiny `BertForPreTraining` whose every weight matters.

    BERT's own start (stddev 0.02, biases 0, gains 1) would hide a swapped
    bias or a forgotten gain, so all weights are drawn widely around it.
    """
    config = BertConfig(
        vocab_size=40,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        type_vocab_size=2,
        hidden_act=hidden_act,
        architectures=["BertForPreTraining"],
        attn_implementation="eager",
    )
    model = BertForPreTraining(config).float().eval()
    random = np.random.default_rng(_SEED)
    with torch.no_grad():
        # Tied weights appear once among the parameters.
        for name, parameter in sorted(model.named_parameters()):
            center = float(name.endswith("LayerNorm.weight"))
            values = random.normal(center, _STDDEV, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(values))
    return model


def make_inputs():
    """Returns three padded rows of two segments, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    positions = np.arange(max(_LENGTHS))[None, :]  # [1, S]
    lengths = np.array(_LENGTHS)[:, None]  # [B, 1]
    starts = np.array(_SEGMENT_STARTS)[:, None]  # [B, 1]
    attention_mask = positions < lengths  # [B, S]
    token_type_ids = (positions >= starts) & attention_mask
    input_ids = random.integers(1, 40, attention_mask.shape) * attention_mask
    inputs = {
        "input_ids": input_ids,
        "attention_mask": attention_mask,
        "token_type_ids": token_type_ids,
        "masked_lm_positions": np.array(_MASKED_LM_POSITIONS),
    }
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def run_model(model, inputs):
    """Returns the outputs of `model` on `inputs`, float32 arrays by name.

    They are computed in float64: in float32 the logits of two correct
    implementations differ by nearly 2e-5.
    """
    model = model.double()
    tensors = {
        name: torch.from_numpy(inputs[name]).long()
        for name in ("input_ids", "attention_mask", "token_type_ids")
    }
    with torch.no_grad():
        encoded = model.bert(**tensors, output_hidden_states=True)
        heads = model(**tensors)
    prediction_logits = np.take_along_axis(
        heads.prediction_logits.numpy(),  # [B, S, V]
        inputs["masked_lm_positions"][:, :, None],
        axis=1,
    )  # [B, P, V]
    outputs = {
        "last_hidden_state": encoded.last_hidden_state.numpy(),
        "pooler_output": encoded.pooler_output.numpy(),
        "prediction_logits": prediction_logits,
        "seq_relationship_logits": heads.seq_relationship_logits.numpy(),
    }
    # 0 is the output of the embeddings, i that of the i-th layer.
    for index, hidden_state in enumerate(encoded.hidden_states):
        outputs[f"hidden_states/{index}"] = hidden_state.numpy()
    return {name: value.astype(np.float32) for name, value in outputs.items()}


def save(path, groups, config):
    """Writes the arrays of `groups` to `path`, whole or not at all."""
    arrays = {
        f"{group}/{name}": value
        for group, values in groups.items()
        for name, value in values.items()
    }
    arrays["config"] = np.array(config.to_json_string())
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(temporary, path)


def main():
    torch.set_num_threads(1)  # more threads may add in another order
    inputs = make_inputs()
    for hidden_act in ("gelu", "gelu_new"):
        model = make_model(hidden_act)
        weights = {k: v.numpy() for k, v in model.state_dict().items()}
        outputs = run_model(model, inputs)
        groups = {"weights": weights, "inputs": inputs, "outputs": outputs}
        save(_HERE / f"hf_{hidden_act}.npz", groups, model.config)


if __name__ == "__main__":
    main()
