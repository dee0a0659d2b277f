"""A tiny BERT with random weights and a vocabulary of its own."""

import json
import pathlib

import keras
import numpy as np
import pytest

from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.text import BertTokenizer
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden"


@pytest.fixture
def bert(make_bert):
    return make_bert()


@pytest.fixture
def berts(make_bert):
    """Two models; the second reads texts as they are written."""
    keras.utils.set_random_seed(1)
    first, second = make_bert(), make_bert()
    vocabulary = second.tokenizer.vocabulary
    cased = BertTokenizer(vocabulary, lowercase=False)
    return first, second.with_tokenizer(cased)


@pytest.fixture
def golden(tmp_path):
    """A model of transformers, its inputs and outputs, by a file's name."""

    def read(name):
        with np.load(_GOLDEN / f"{name}.npz") as file:
            arrays = {key: file[key] for key in file}
        weights, outputs = (
            {
                key.removeprefix(f"{group}/"): value
                for key, value in arrays.items()
                if key.startswith(f"{group}/")
            }
            for group in ("weights", "outputs")
        )
        inputs = {
            "input_ids": arrays["inputs/input_ids"],
            "input_mask": arrays["inputs/attention_mask"],
            "segment_ids": arrays["inputs/token_type_ids"],
        }
        directory = tmp_path / name
        directory.mkdir()
        words = [f"word{n}" for n in range(35)]
        text = "".join(f"{token}\n" for token in [*SPECIAL_TOKENS, *words])
        (directory / "vocab.txt").write_text(text)
        (directory / "config.json").write_text(str(arrays["config"]))
        (directory / "tokenizer_config.json").write_text(
            json.dumps({"do_lower_case": True})
        )
        write_safetensors(
            directory / "model.safetensors",
            [(key, x.shape, lambda x=x: x) for key, x in weights.items()],
        )
        return directory, inputs, outputs

    return read
