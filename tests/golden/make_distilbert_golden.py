"""Writes what Hugging Face's DistilBERT answers, for the tests to compare with.

`hf_distilbert.npz` comes from torch 2.13.0 and transformers 5.23.0:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_distilbert_golden.py

Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/...`, and
`config`, the text of a Hugging Face `config.json`.
"""

import numpy as np
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_golden
from transformers import DistilBertConfig
from transformers import DistilBertForMaskedLM

_SEED = 1910
_LENGTHS = (12, 7, 3)


def make_config():
    """A tiny model."""
    return DistilBertConfig(
        vocab_size=40,
        dim=16,
        n_layers=3,
        n_heads=4,
        hidden_dim=32,
        max_position_embeddings=16,
        architectures=["DistilBertForMaskedLM"],
        attn_implementation="eager",
    )


def make_inputs():
    """Three padded rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    mask = np.arange(max(_LENGTHS))[None, :] < np.array(_LENGTHS)[:, None]
    ids = random.integers(1, 40, mask.shape) * mask
    inputs = {"input_ids": ids, "attention_mask": mask}
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def main():
    inputs = make_inputs()
    model = draw_widely(DistilBertForMaskedLM(make_config()), _SEED)
    answer = answer_of(model, inputs, output_hidden_states=True)
    write_golden(
        "hf_distilbert",
        model.config,
        weights=weights_of(model),
        inputs=inputs,
        outputs={"logits": answer.logits.numpy(), **states_of(answer)},
    )


if __name__ == "__main__":
    main()
