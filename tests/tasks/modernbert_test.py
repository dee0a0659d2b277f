"""ModernBERT through tasks and exports, with a tokenizer that composes."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import interpreter as litert

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.modernbert_config import ModernBertConfig

_TEXTS = ["word1 word2 word3 word4 word5", "word3", "e\u0301  word4 é", ""]


@pytest.fixture
def model(make_settings):
    config = ModernBertConfig(
        275,
        hidden_size=16,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=16,
        local_attention=4,
        initializer_range=0.5,
    )
    settings = dataclasses.replace(make_settings("byte_bpe"), normalizer="NFC")
    return PretrainedModel.from_config(config, settings)


def _classifier(model):
    return keras_bert.TextClassifier(model, labels=["one", "other"])


def _filler(model):
    return keras_bert.FillMask(model, top_k=2)


_MAKERS = {
    "classifier": _classifier,
    "embedder": keras_bert.TextEmbedder,
    "extractor": keras_bert.tasks.FeatureExtractor,
    "filler": _filler,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [*_MAKERS])
def test_a_tflite_file_of_ids_answers_as_python(name, model, tmp_path):
    task = _MAKERS[name](model)
    texts = [f"{text} <mask>" for text in _TEXTS]
    task.export_tflite(
        str(tmp_path / "model.tflite"), kind="float32", files=["ids"]
    )
    path = str(tmp_path / "model_ids.tflite")
    run = litert.Interpreter(model_path=path).get_signature_runner()
    inputs = {k: x.numpy() for k, x in task.preprocess(texts).items()}
    assert inputs["input_mask"].min(axis=0).max() == 1
    inputs = {k: inputs[k] for k in task.inputs}
    answers = run(**inputs)
    expected = task.predict_ids({k: tf.constant(x) for k, x in inputs.items()})
    assert {*answers} >= {n for n, x in expected.items() if x.dtype.is_floating}
    for key, values in answers.items():
        if expected[key].dtype.is_floating:
            np.testing.assert_allclose(values, expected[key], atol=1e-4)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["classifier", "embedder", "extractor"])
def test_an_onnx_directory_answers_as_python(name, model, tmp_path):
    """From texts that `tokenizers` cuts by the file beside it."""
    ort = pytest.importorskip("onnxruntime")
    pytest.importorskip("tf2onnx")
    tokenizers = pytest.importorskip("tokenizers")
    task = _MAKERS[name](model)
    keras_bert.export.export_onnx(task, tmp_path / "onnx")
    path = tmp_path / "onnx"
    cutter = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
    rows = cutter.encode_batch(_TEXTS)
    session = ort.InferenceSession(path / "model.onnx")
    names = [output.name for output in session.get_outputs()]
    inputs = {
        "input_ids": np.array([row.ids for row in rows], np.int32),
        "input_mask": np.array([row.attention_mask for row in rows], np.int32),
    }
    own = task.preprocess(_TEXTS)
    width = inputs["input_ids"].shape[1]
    real = inputs["input_mask"].astype(bool)
    np.testing.assert_array_equal(
        inputs["input_ids"], own["input_ids"][:, :width]
    )
    found = dict(zip(names, session.run(None, inputs)))
    expected = task.predict_ids({k: x[:, :width] for k, x in own.items()})
    for key, values in found.items():
        kept = real if values.ndim == 3 else slice(None)
        np.testing.assert_allclose(
            values[kept], expected[key].numpy()[kept], atol=1e-4
        )


@pytest.mark.smoke("classifier")
@pytest.mark.parametrize("name", [*_MAKERS])
def test_a_saved_model_answers_as_python(name, model, tmp_path):
    task = _MAKERS[name](model)
    task.export_saved_model(str(tmp_path / "served"))
    served = tf.saved_model.load(str(tmp_path / "served/1"))
    texts = tf.constant([f"{text} <mask>" for text in _TEXTS])
    answers = served.signatures["serving_default"](text=texts)
    expected = task.predict_texts(texts)
    real = task.preprocess(texts)["input_mask"].numpy().astype(bool)
    for key, values in answers.items():
        values, wanted = values.numpy(), expected[key].numpy()
        if key == "sequence_output":
            width = values.shape[1]
            values = values[real[:, :width]]
            wanted = wanted[:, :width][real[:, :width]]
        if values.dtype.kind == "f":
            np.testing.assert_allclose(values, wanted, atol=1e-4)
        else:
            np.testing.assert_array_equal(values, wanted)
