"""Writes what two tasks of Hugging Face answer, for the tests.

Needs torch and transformers, which the project itself does not depend on.
`hf_token_classification.npz` and `hf_multiple_choice.npz` come from torch
2.13.0 and transformers 5.23.0:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_task_golden.py

Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/logits`, and
`config`, the text of a Hugging Face `config.json`. Weights are drawn widely,
gains and biases too: at the usual deviation of 0.02 a wrong activation or a
swapped bias would not show.
"""

import os
import pathlib

import numpy as np
import torch
from transformers import BertConfig
from transformers import BertForMultipleChoice
from transformers import BertForTokenClassification

_HERE = pathlib.Path(__file__).resolve().parent
_SEED = 2017
_STDDEV = 0.3
_LABELS = ["O", "B-PER", "I-PER"]
_LENGTHS = np.array([[12, 7, 3], [5, 10, 9]])  # of the choices of two questions
_SEGMENT_STARTS = np.array([[6, 4, 2], [3, 3, 3]])


def make_model(model_class):
    """A tiny model whose every weight matters."""
    config = BertConfig(
        vocab_size=40,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        id2label=dict(enumerate(_LABELS)),
        label2id={name: index for index, name in enumerate(_LABELS)},
        architectures=[model_class.__name__],
        attn_implementation="eager",
    )
    model = model_class(config).float().eval()
    random = np.random.default_rng(_SEED)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            center = float(name.endswith("LayerNorm.weight"))
            values = random.normal(center, _STDDEV, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(values))
    return model


def make_inputs():
    """Padded rows, int32 `(2, 3, 12)` by name."""
    random = np.random.default_rng(_SEED + 1)
    places = np.arange(_LENGTHS.max())
    mask = places < _LENGTHS[..., None]
    ids = random.integers(1, 40, mask.shape) * mask
    segments = (places >= _SEGMENT_STARTS[..., None]) & mask
    inputs = {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": segments,
    }
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def write(name, model, inputs):
    """The model, its inputs and its logits, in float64 and then rounded."""
    weights = {k: v.numpy().copy() for k, v in model.state_dict().items()}
    tensors = {k: torch.from_numpy(v).long() for k, v in inputs.items()}
    with torch.no_grad():
        logits = model.double()(**tensors).logits.numpy()
    arrays = {
        **{f"weights/{key}": value for key, value in weights.items()},
        **{f"inputs/{key}": value for key, value in inputs.items()},
        "outputs/logits": logits.astype(np.float32),
        "config": np.array(model.config.to_json_string()),
    }
    path = _HERE / f"{name}.npz"
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(temporary, path)


def main():
    torch.set_num_threads(1)  # more threads may add in another order
    choices = make_inputs()
    rows = {name: x.reshape(-1, x.shape[-1]) for name, x in choices.items()}
    write(
        "hf_token_classification", make_model(BertForTokenClassification), rows
    )
    write("hf_multiple_choice", make_model(BertForMultipleChoice), choices)


if __name__ == "__main__":
    main()
