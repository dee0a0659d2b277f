import os

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text as tf_text
from ai_edge_litert import interpreter as litert

from keras_bert.export import export_tflite
from keras_bert.tasks import FeatureExtractor

_TEXTS = ["the dog eats meat", "", "[MASK] zebra, a cat.", "cats and " * 30]


@pytest.fixture(scope="module")
def task(bert):
    return FeatureExtractor(bert, seq_length=10)


@pytest.fixture(scope="module")
def path(task, tmp_path_factory):
    path = tmp_path_factory.mktemp("tflite") / "encoder.tflite"
    export_tflite(task, path)
    return path


@pytest.fixture(scope="module")
def interpreter(path):
    interpreter = litert.InterpreterWithCustomOps(
        model_path=str(path),
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
    )
    interpreter.allocate_tensors()
    return interpreter


def test_the_signature_has_the_documented_names(interpreter, task):
    assert interpreter.get_signature_list() == {
        "serving_default": {
            "inputs": ["text"],
            "outputs": sorted(task.outputs),
        }
    }


@pytest.mark.parametrize(
    "texts", [_TEXTS, *([text] for text in _TEXTS)], ids=range(5)
)
def test_texts_get_the_vectors_of_python(interpreter, task, texts):
    encode = interpreter.get_signature_runner("serving_default")
    outputs = encode(text=np.array(texts))
    expected = task.predict_ids(task.preprocess(texts))
    assert sorted(outputs) == sorted(expected)
    for name, array in outputs.items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, expected[name], atol=1e-4)


def test_no_texts_give_no_rows(interpreter):
    encode = interpreter.get_signature_runner("serving_default")
    shapes = {k: v.shape for k, v in encode(text=np.array([], str)).items()}
    assert shapes == {"pooled_output": (0, 16), "sequence_output": (0, 10, 16)}
    assert encode(text=np.array(["a dog"]))["pooled_output"].shape == (1, 16)


def test_no_op_needs_tensorflow_itself(path, interpreter):
    data = path.read_bytes()
    assert b"FastBertNormalize" in data
    assert b"FastWordpieceTokenizeWithOffsets" in data
    assert b"Flex" not in data


def test_weights_are_constants(path, bert):
    assert path.stat().st_size > 4 * bert.encoder.count_params()
    assert b"VarHandleOp" not in path.read_bytes()


def test_exporting_leaves_the_model_as_it_was(bert, task, path):
    before = task.predict_ids(task.preprocess(_TEXTS))["pooled_output"]
    weights = [variable.numpy() for variable in bert.encoder.variables]
    export_tflite(task, path.with_name("again.tflite"))
    again = task.predict_ids(task.preprocess(_TEXTS))["pooled_output"]
    np.testing.assert_array_equal(again, before)
    for variable, value in zip(bert.encoder.variables, weights):
        np.testing.assert_array_equal(variable.numpy(), value)


def test_a_failure_leaves_the_old_file_and_nothing_else(
    task, tmp_path, monkeypatch
):
    path = tmp_path / "encoder.tflite"
    export_tflite(task, path)
    files = ["encoder.tflite", "manifest-encoder.tflite.json"]
    assert sorted(os.listdir(tmp_path)) == files
    before = [(tmp_path / name).read_bytes() for name in files]

    def fail(_):
        raise ValueError("cannot convert")

    monkeypatch.setattr(tf.lite.TFLiteConverter, "convert", fail)
    with pytest.raises(ValueError, match="must be new: .*--overwrite"):
        export_tflite(task, path)
    with pytest.raises(ValueError, match="cannot convert"):
        export_tflite(task, path, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == files
    assert [(tmp_path / name).read_bytes() for name in files] == before
    monkeypatch.undo()
    export_tflite(task, path, overwrite=True)


def test_a_file_of_the_user_is_kept(task, tmp_path):
    path = tmp_path / "encoder.tflite"
    path.write_bytes(b"mine")
    for overwrite in (False, True):
        with pytest.raises(ValueError, match="encoder.tflite exists, and no"):
            export_tflite(task, path, overwrite=overwrite)
    assert path.read_bytes() == b"mine"
