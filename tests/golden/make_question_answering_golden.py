"""Writes what Hugging Face's BertForQuestionAnswering answers, for the tests.

Needs torch and transformers, which the project itself does not depend on.
`hf_question_answering.npz` comes from torch 2.13.0 and transformers 5.23.0:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_question_answering_golden.py

Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/start_logits`
and `outputs/end_logits`, and `config`, the text of a Hugging Face
`config.json`. Weights are drawn widely, gains and biases too: at the usual
deviation of 0.02 a swapped bias would not show.
"""

import os
import pathlib

import numpy as np
import torch
from transformers import BertConfig
from transformers import BertForQuestionAnswering

_PATH = pathlib.Path(__file__).resolve().with_name("hf_question_answering.npz")
_SEED = 1606
_STDDEV = 0.3
_QUESTION = 4  # Tokens of [CLS] question [SEP].
_LENGTHS = (12, 7, 5)


def make_model():
    """A tiny model whose every weight matters."""
    config = BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=32,
        max_position_embeddings=16,
        architectures=["BertForQuestionAnswering"],
        attn_implementation="eager",
    )
    model = BertForQuestionAnswering(config).float().eval()
    random = np.random.default_rng(_SEED)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            center = float("LayerNorm.weight" in name)
            values = random.normal(center, _STDDEV, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(values))
    return model


def make_inputs():
    """Three padded rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    places = np.arange(max(_LENGTHS))[None, :]
    mask = places < np.array(_LENGTHS)[:, None]
    inputs = {
        "input_ids": random.integers(1, 40, mask.shape) * mask,
        "attention_mask": mask,
        "token_type_ids": (places >= _QUESTION) & mask,
    }
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def run_model(model, inputs):
    """Outputs in float64, rounded to float32, by name."""
    model = model.double()
    tensors = {k: torch.from_numpy(v).long() for k, v in inputs.items()}
    with torch.no_grad():
        answer = model(**tensors)
    return {
        name: answer[name].numpy().astype(np.float32)
        for name in ("start_logits", "end_logits")
    }


def main():
    torch.set_num_threads(1)  # more threads may add in another order
    model, inputs = make_model(), make_inputs()
    weights = {k: v.numpy().copy() for k, v in model.state_dict().items()}
    groups = {
        "weights": weights,
        "inputs": inputs,
        "outputs": run_model(model, inputs),
    }
    arrays = {
        f"{group}/{name}": value
        for group, values in groups.items()
        for name, value in values.items()
    }
    arrays["config"] = np.array(model.config.to_json_string())
    temporary = _PATH.with_name(_PATH.name + ".tmp")
    with open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(temporary, _PATH)


if __name__ == "__main__":
    main()
