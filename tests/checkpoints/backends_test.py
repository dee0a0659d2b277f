"""Weights load with JAX and torch, without TensorFlow."""

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.weight_table import model_types
from tests import tiny
from tests.processes import run_python

# Reads all models of a folder and writes each to its own folder.
_PROGRAM = """
import pathlib
import sys
sys.modules["tensorflow"] = sys.modules["tensorflow_text"] = None
import keras
import numpy as np
import keras_bert

assert keras.backend.backend() == sys.argv[2]
for place in pathlib.Path(sys.argv[1]).iterdir():
    model = keras_bert.from_pretrained(place / "model")
    with np.load(place / "inputs.npz") as arrays:
        inputs = dict(arrays)
    outputs = model.encoder.predict_on_batch(inputs)
    np.savez(
        place / "outputs.npz",
        **{k: keras.ops.convert_to_numpy(x) for k, x in outputs.items()},
    )
    keras_bert.save_pretrained(model, place / "again")
"""
_FAMILIES = sorted({*model_types()} - {"modernbert", "xlm-roberta"})


# Torch is only installed for the parity tests.
_BACKENDS = ["jax", pytest.param("torch", marks=pytest.mark.parity)]


@pytest.fixture(scope="module", params=_BACKENDS)
def read(request, make_settings_of, random_batch, tmp_path_factory):
    """Return outputs by family, and the files written by a backend."""
    folder = tmp_path_factory.mktemp(request.param)
    models = {}
    for family in _FAMILIES:
        settings = make_settings_of(family)
        config = tiny.config(family, V=len(settings.vocabulary))
        model = PretrainedModel.from_config(config, settings)
        tiny.widened(model)
        place = folder / family
        save_pretrained(model, place / "model")
        inputs = tiny.inputs_of(model.encoder, random_batch(1)[0])
        np.savez(place / "inputs.npz", **inputs)
        models[family] = model.encoder(inputs), place
    environment = {"KERAS_BACKEND": request.param, "JAX_PLATFORMS": "cpu"}
    run_python("-c", _PROGRAM, folder, request.param, **environment)
    return models


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", _FAMILIES)
def test_a_backend_reads_what_tensorflow_wrote(read, family):
    expected, place = read[family]
    found = np.load(place / "outputs.npz")
    assert {*found} == {*expected}
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5, atol=1e-5)
    again = (place / "again" / "model.safetensors").read_bytes()
    assert again == (place / "model" / "model.safetensors").read_bytes()
