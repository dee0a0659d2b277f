"""Writes what Hugging Face's DistilBERT answers, for the tests to compare with.

Needs torch and transformers, which the project itself does not depend on.
`hf_distilbert.npz` comes from torch 2.13.0 and transformers 5.23.0:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_distilbert_golden.py

Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/...`, and
`config`, the text of a Hugging Face `config.json`. Weights are drawn widely,
gains and biases too: at the usual deviation of 0.02 a wrong activation or a
swapped bias would not show.
"""

import os
import pathlib

import numpy as np
import torch
from transformers import DistilBertConfig
from transformers import DistilBertForMaskedLM

_PATH = pathlib.Path(__file__).resolve().with_name("hf_distilbert.npz")
_SEED = 1910
_STDDEV = 0.3
_LENGTHS = (12, 7, 3)


def make_model():
    """A tiny model whose every weight matters."""
    config = DistilBertConfig(
        vocab_size=40,
        dim=16,
        n_layers=3,
        n_heads=4,
        hidden_dim=32,
        max_position_embeddings=16,
        architectures=["DistilBertForMaskedLM"],
        attn_implementation="eager",
    )
    model = DistilBertForMaskedLM(config).float().eval()
    random = np.random.default_rng(_SEED)
    with torch.no_grad():
        # Tied weights appear once among the parameters.
        for name, parameter in sorted(model.named_parameters()):
            center = float("layer_norm.weight" in name.lower())
            center = center or float(name.endswith("LayerNorm.weight"))
            values = random.normal(center, _STDDEV, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(values))
    return model


def make_inputs():
    """Three padded rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    mask = np.arange(max(_LENGTHS))[None, :] < np.array(_LENGTHS)[:, None]
    ids = random.integers(1, 40, mask.shape) * mask
    inputs = {"input_ids": ids, "attention_mask": mask}
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def run_model(model, inputs):
    """Outputs in float64, rounded to float32, by name."""
    model = model.double()
    tensors = {k: torch.from_numpy(v).long() for k, v in inputs.items()}
    with torch.no_grad():
        answer = model(**tensors, output_hidden_states=True)
    outputs = {"logits": answer.logits.numpy()}
    for index, states in enumerate(answer.hidden_states):
        outputs[f"hidden_states/{index}"] = states.numpy()
    return {name: value.astype(np.float32) for name, value in outputs.items()}


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
