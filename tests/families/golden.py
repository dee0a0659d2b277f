"""Golden outputs of transformers in `tests/golden`, and their directories."""

import json
import pathlib

import numpy as np

from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.weight_table import model_types

FOLDER = pathlib.Path(__file__).parents[1] / "golden"
_OTHER_NAMES = {"gelu": "bert", "gelu_new": "bert", "openai_gpt": "openai-gpt"}
_WITHOUT_FILE = ("bert", "openai-gpt", "static-embeddings")
# Model types by file name after "hf_".
MODEL_TYPES = {x: x for x in model_types() if x not in _WITHOUT_FILE}
MODEL_TYPES |= _OTHER_NAMES
_INPUTS = {
    "input_ids": "input_ids",
    "input_mask": "attention_mask",
    "segment_ids": "token_type_ids",
}
# Parts of families without a class in transformers.
_PARTS = {"deberta-v2": ("masked_lm_head",)}


class Golden:
    """A model of transformers with its inputs and outputs.

    Args:
        name: str, the file name after "hf_".
        make_settings_of: the fixture of this name.
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
        """Write a directory in the format of transformers.

        Args:
            directory: path of a new directory.
            weights: dict of arrays by name that replace the model's weights.
            **config: changed values of the config.
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


def long_row(length, first=1, period=37):
    """Return the inputs of a row that the golden programs use too."""
    ids = (first + np.arange(length) ** 2 % period)[np.newaxis]
    ids = ids.astype("int32")
    return {"input_ids": ids, "input_mask": np.ones_like(ids)}


def assert_close(ours, expected, tolerance):
    np.testing.assert_allclose(
        np.asarray(ours), expected, rtol=tolerance, atol=tolerance
    )


def assert_equal_weights(ours, expected):
    assert [*ours.weights] == [*expected.weights]
    for path, weight in expected.weights.items():
        np.testing.assert_array_equal(ours.weights[path], weight, path)
