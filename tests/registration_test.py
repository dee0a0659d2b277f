"""Saved Keras models load in other processes after one import."""

import re

import keras
import numpy as np
import pytest

import keras_bert
from keras_bert import registration
from tests import tiny
from tests.processes import ROOT
from tests.processes import run_python

_REGISTERED = re.compile(
    r'^@keras\.saving\.register_keras_serializable\("keras_bert"\)\n'
    r"(class|def) (\w+)",
    re.MULTILINE,
)
_LOAD = """
import {first}
import {second}
model = keras.models.load_model("model.keras")
module = type(model.optimizer).__module__
print(keras.backend.backend(), module, model.count_params())
"""


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


@pytest.mark.smoke("_pretrainer-tensorflow-keras-keras_bert")
@pytest.mark.large
@pytest.mark.parametrize(
    "make, backend, first, second",
    [
        (_pretrainer, "tensorflow", "keras_bert.layers", "keras"),
        (_pretrainer, "tensorflow", "keras", "keras_bert"),
        (_layers, "jax", "keras_bert.layers", "keras"),
    ],
)
def test_a_saved_model_loads_after_one_import(
    make, backend, first, second, tmp_path
):
    model = make()
    model.save(tmp_path / "model.keras")
    program = _LOAD.format(first=first, second=second)
    environment = {"KERAS_BACKEND": backend, "JAX_PLATFORMS": "cpu"}
    result = run_python("-c", program, cwd=tmp_path, **environment)
    module = type(model.optimizer).__module__
    expected = f"{backend} {module} {model.count_params()}\n"
    assert result.stdout == expected, result.stderr


def test_every_registered_class_has_a_stand_in():
    found, modules = {}, set()
    for source in (ROOT / "keras_bert").rglob("*.py"):
        module = ".".join(source.relative_to(ROOT).with_suffix("").parts)
        for kind, name in _REGISTERED.findall(source.read_text("utf-8")):
            if kind == "class":
                found[name] = module
            else:
                modules.add(module.removeprefix("keras_bert."))
    assert found == registration.registered()
    assert modules == {*registration._MODULES_OF_FUNCTIONS}


def test_a_file_of_an_earlier_release_loads():
    path = ROOT / "tests" / "golden" / "bert_pretrainer.keras"
    found, made = keras.models.load_model(path), _pretrainer(30, 16)
    made.set_weights(found.get_weights())
    assert [w.path for w in found.weights] == [w.path for w in made.weights]
    ids = np.array([[2, 7, 9, 3]], "int32")
    inputs = {name: ids % 2 for name in made.input} | {"input_ids": ids}
    for name, expected in made(inputs).items():
        np.testing.assert_array_equal(found(inputs)[name], expected)


def test_a_class_that_is_imported_takes_the_place_of_its_stand_in():
    name = "keras_bert>BertEmbeddings"
    layer = keras_bert.layers.BertEmbeddings
    assert keras.saving.get_registered_object(name) is layer
    assert re.match("keras_bert>", keras.saving.get_registered_name(layer))
