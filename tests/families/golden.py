"""Answers of transformers, kept in `tests/golden`, and directories of them."""

import json
import pathlib

import numpy as np

from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.family import find_family

FOLDER = pathlib.Path(__file__).parents[1] / "golden"
# By the name of the file behind "hf_".
MODEL_TYPES = {
    "albert": "albert",
    "big_bird": "big_bird",
    "gelu": "bert",
    "gelu_new": "bert",
    "deberta": "deberta",
    "deberta-v2": "deberta-v2",
    "distilbert": "distilbert",
    "electra": "electra",
    "longformer": "longformer",
    "modernbert": "modernbert",
    "mpnet": "mpnet",
    "openai_gpt": "openai-gpt",
    "roberta": "roberta",
    "xlm-roberta": "xlm-roberta",
}
_INPUTS = {
    "input_ids": "input_ids",
    "input_mask": "attention_mask",
    "segment_ids": "token_type_ids",
}
# Other parts of a family that transformers has no class for.
_PARTS = {"deberta-v2": ("masked_lm_head",)}


class Golden:
    """A model of transformers, its inputs and its answers.

    Args:
        name: str, the part of the name of a file after "hf_".
        make_settings_of: the fixture.
    """

    def __init__(self, name, make_settings_of):
        self.model_type = MODEL_TYPES.get(name, "bert")
        self.family = find_family(self.model_type)
        self.settings = make_settings_of(self.model_type)
        self.groups = {}
        with np.load(FOLDER / f"hf_{name}.npz") as arrays:
            for key in arrays:
                group, _, array = key.partition("/")
                self.groups.setdefault(group, {})[array] = arrays[key]
        self.config = json.loads(str(self.groups.pop("config")[""]))
        self.weights = self.groups["weights"]
        self.outputs = self.groups["outputs"]
        given = self.groups["inputs"]
        self.inputs = {k: given[v] for k, v in _INPUTS.items() if v in given}
        self.real = self.inputs["input_mask"].astype(bool)
        every = np.indices(self.real.shape, "int32")[1]
        self.positions = given.get("masked_lm_positions", every)
        self.parts = _PARTS.get(name, self.family.parts)

    def write(self, directory, weights=None, **config):
        """Write a directory as transformers does.

        Args:
            directory: path, which must be new.
            weights: dict of arrays by name, in place of those of the model.
            **config: values of the config that differ.
        """
        directory.mkdir()
        values = {**self.config, **config}
        (directory / "config.json").write_text(json.dumps(values))
        self.settings.write(directory)
        arrays = self.weights if weights is None else weights
        write_safetensors(
            directory / "model.safetensors",
            [(name, x.shape, lambda x=x: x) for name, x in arrays.items()],
        )
        return directory


def assert_close(ours, expected, tolerance):
    np.testing.assert_allclose(
        np.asarray(ours), expected, rtol=tolerance, atol=tolerance
    )


def assert_equal_weights(ours, expected):
    assert [*ours.weights] == [*expected.weights]
    for path, weight in expected.weights.items():
        np.testing.assert_array_equal(ours.weights[path], weight, path)
