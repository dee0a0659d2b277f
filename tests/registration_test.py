"""Saved Keras models load in processes that only `import keras_bert`."""

import os
import pathlib
import re
import subprocess
import sys

import keras
import numpy as np
import pytest

import keras_bert
from keras_bert import registration
from tests import tiny

_ROOT = pathlib.Path(__file__).parents[1]

_LOAD = """
import sys
import {first}
import {second}
assert keras.backend.backend() == sys.argv[2]
model = keras.models.load_model(sys.argv[1])
print(type(model.optimizer).__module__, model.count_params())
"""


def run_python(program, backend, *arguments):
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "KERAS_BACKEND": backend,
            "JAX_PLATFORMS": "cpu",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def _pretrainer(vocab_size=9, max_position_embeddings=8):
    sizes = {"V": vocab_size, "P": max_position_embeddings, "I": 8}
    config = tiny.config("bert", **sizes)
    model = keras_bert.models.bert_pretrainer(config)
    schedule = keras_bert.optimizers.LinearWarmupDecay(1e-4, 3, 1)
    model.compile(
        keras_bert.optimizers.bert_adamw(model, schedule),
        keras_bert.pretraining.losses(),
        weighted_metrics=keras_bert.pretraining.metrics(),
    )
    return model


def _layers():
    inputs = keras.Input((4, 8))
    mask = keras.Input((4,), dtype="int32")
    states = keras_bert.layers.TransformerEncoderBlock(8, 2, 8)(inputs, mask)
    states = keras.layers.Dense(3, activation=keras_bert.layers.gelu_tanh)(
        states
    )
    model = keras.Model([inputs, mask], states)
    model.compile("sgd", "mse")
    return model


@pytest.mark.smoke("_pretrainer-tensorflow-keras_bert-keras")
@pytest.mark.large
@pytest.mark.parametrize(
    "make, backend, first, second",
    [
        (_pretrainer, "tensorflow", "keras_bert", "keras"),
        (_pretrainer, "tensorflow", "keras", "keras_bert"),
        (_layers, "tensorflow", "keras_bert", "keras"),
        (_layers, "jax", "keras", "keras_bert"),
    ],
)
def test_a_saved_model_loads_after_one_import(
    make, backend, first, second, tmp_path
):
    path = str(tmp_path / "model.keras")
    model = make()
    model.save(path)
    program = _LOAD.format(first=first, second=second)
    result = run_python(program, backend, path, backend)
    module = type(model.optimizer).__module__
    assert result == f"{module} {model.count_params()}\n"


def test_every_registered_class_has_a_stand_in():
    for source in (_ROOT / "keras_bert").rglob("*.py"):
        count = source.read_text("utf-8").count("@keras.saving.register_keras")
        module = ".".join(source.relative_to(_ROOT).with_suffix("").parts)
        found = [x for kind in registration.registered() for x in kind.values()]
        assert found.count(module) == count, module


def test_a_file_of_an_earlier_release_loads():
    path = _ROOT / "tests" / "golden" / "bert_pretrainer.keras"
    found, made = keras.models.load_model(path), _pretrainer(30, 16)
    made.set_weights(found.get_weights())
    assert [w.path for w in found.weights] == [w.path for w in made.weights]
    ids = np.array([[2, 7, 9, 3]], "int32")
    inputs = {name: ids % 2 for name in made.input} | {"input_ids": ids}
    for name, expected in made(inputs).items():
        np.testing.assert_array_equal(found(inputs)[name], expected)


@pytest.mark.exhaustive
def test_keras_is_looked_for_without_being_imported():
    """Look for Keras like packages that check whether it is installed."""
    result = run_python(
        "import importlib.util, sys, keras_bert\n"
        "assert importlib.util.find_spec('keras')\n"
        "assert 'keras' not in sys.modules\n"
        "import keras\n"
        "found = keras.saving.get_registered_object('keras_bert>Dropout')\n"
        "print(type(found.from_config({'rate': 0.1})).__module__)\n",
        "tensorflow",
    )
    assert result == "keras_bert.layers.dropout\n"


def test_a_class_that_is_imported_takes_the_place_of_its_stand_in():
    name = "keras_bert>BertEmbeddings"
    layer = keras_bert.layers.BertEmbeddings
    assert keras.saving.get_registered_object(name) is layer
    assert re.match("keras_bert>", keras.saving.get_registered_name(layer))
