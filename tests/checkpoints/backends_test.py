"""Weights load on JAX and torch where TensorFlow cannot be imported."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.family import find_family
from keras_bert.config import BertConfig
from keras_bert.models.albert import AlbertConfig
from keras_bert.models.distilbert import DistilBertConfig
from keras_bert.models.roberta import RobertaConfig

_ROOT = pathlib.Path(__file__).parents[2]
_PROGRAM = """
import sys
sys.modules["tensorflow"] = sys.modules["tensorflow_text"] = None
import keras
import numpy as np
import keras_bert

assert keras.backend.backend() == sys.argv[4]
model = keras_bert.from_pretrained(sys.argv[1])
with np.load(sys.argv[2]) as arrays:
    inputs = dict(arrays)
for name, value in model.encoder.predict_on_batch(inputs).items():
    np.save(f"{sys.argv[3]}/{name}.npy", keras.ops.convert_to_numpy(value))
keras_bert.save_pretrained(model, sys.argv[3] + "/again")
try:
    model.tokenizer
except ModuleNotFoundError as error:
    print(error)
"""
_SIZES = {
    "hidden_size": 8,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 16,
}
_CONFIGS = {
    "albert": lambda size: AlbertConfig(
        size, embedding_size=4, num_hidden_layers=3, **_SIZES
    ),
    "bert": lambda size: BertConfig(size, num_hidden_layers=2, **_SIZES),
    "distilbert": lambda size: DistilBertConfig(
        size,
        dim=8,
        n_layers=2,
        n_heads=2,
        hidden_dim=16,
        max_position_embeddings=16,
    ),
    "roberta": lambda size: RobertaConfig(size, num_hidden_layers=2, **_SIZES),
}


# Torch is there where the parity with transformers is tested.
_BACKENDS = ["jax", pytest.param("torch", marks=pytest.mark.parity)]


@pytest.mark.large
@pytest.mark.parametrize("backend", _BACKENDS)
@pytest.mark.parametrize("family", [*_CONFIGS])
@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_backend_reads_what_tensorflow_wrote(
    backend, family, format, make_settings, random_batch, tmp_path
):
    pytest.importorskip(backend)
    settings = make_settings(find_family(family).tokenizer)
    config = _CONFIGS[family](len(settings.vocabulary))
    model = PretrainedModel.from_config(config, settings)
    random = np.random.default_rng(0)
    for weight in model.model.weights:
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    save_pretrained(model, tmp_path / "model", format=format)
    inputs = random_batch(0)[0]
    inputs = {name: inputs[name] for name in model.backbone.inputs}
    np.savez(tmp_path / "inputs.npz", **inputs)
    result = _run_on(
        backend, tmp_path / "model", tmp_path / "inputs.npz", tmp_path
    )
    assert result.returncode == 0, result.stderr
    for name, expected in model.encoder(inputs).items():
        found = np.load(tmp_path / f"{name}.npy")
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert "needs the package tensorflow, which is not" in result.stdout
    assert "pip install 'tensorflow>=" in result.stdout
    again = tmp_path / "again" / "model.safetensors"
    if format == "keras":
        expected = tmp_path / "model" / "model.safetensors"
        assert again.read_bytes() == expected.read_bytes()


def _run_on(backend, *arguments):
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, *map(str, arguments), backend],
        env={
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "KERAS_BACKEND": backend,
            "JAX_PLATFORMS": "cpu",
        },
        capture_output=True,
        text=True,
    )
