"""Quantized kinds, and rejected exports."""

import os

import keras
import pytest
import tensorflow as tf

from keras_bert.checkpoints import PretrainedModel
from keras_bert.export import export_tflite
from keras_bert.export.samples import read_texts
from keras_bert.export.tflite import tflite
from keras_bert.export.tflite.comparison import Comparison
from keras_bert.export.tflite.functions import ids_function
from keras_bert.export.tflite.functions import operators
from keras_bert.tasks import FeatureExtractor
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import TextClassifier

_IDS = {"files": ["ids"]}


@pytest.fixture(scope="module")
def wide(make_bert):
    """Return a classifier with matrices large enough for int8."""
    sizes = {"hidden_size": 64, "intermediate_size": 128, "vocab_size": 2000}
    bert = make_bert(**sizes, num_hidden_layers=1, initializer_range=0.1)
    return TextClassifier(bert, labels=["no", "yes"])


@pytest.fixture(scope="module")
def task(bert):
    return FeatureExtractor(bert, seq_length=10)


@pytest.mark.smoke("float16", "full_int8")
@pytest.mark.parametrize(
    "kind, share", [("float16", 0.58), ("int8", 0.4), ("full_int8", 0.4)]
)
def test_smaller_kinds_are_smaller(wide, tmp_path, kind, share):
    texts = ["the dog eats", "a cat sees seeds and meat .", "fish", "dogs"]
    given = {"representative_texts": texts} if kind == "full_int8" else {}
    found = export_tflite(
        wide, tmp_path / "m.tflite", kind, files=["ids"], force=True, **given
    )["ids"]
    num_bytes = 4 * wide.model.count_params()
    assert found.megabytes * 1e6 < share * num_bytes
    # Fixed scales lose much accuracy with random weights.
    assert found.is_within(kind) or kind == "full_int8"
    data = (tmp_path / "m_ids.tflite").read_bytes()
    built_in, _ = operators(data)
    assert (built_in["QUANTIZE"] > 0) == (kind == "full_int8")


@pytest.fixture
def bad_conversion(bert, task, monkeypatch):
    """Convert a model with other weights."""
    variable = bert.encoder.variables[-1]
    before = variable.numpy()
    variable.assign(before + 0.1)
    other, convert = ids_function(task), tflite.convert
    variable.assign(before)
    monkeypatch.setattr(
        tflite, "convert", lambda _, *rest: convert(other, *rest)
    )


def test_a_file_that_loses_too_much_is_not_written(
    bad_conversion, task, tmp_path
):
    path = tmp_path / "model.tflite"
    with pytest.raises(ValueError, match="1e-04|0.0001.*Received.*force=True"):
        export_tflite(task, path, "float32", **_IDS)
    assert os.listdir(tmp_path) == []


def test_an_op_that_tflite_has_not_is_named(bert, tmp_path):
    task = FeatureExtractor(bert, seq_length=10)
    preprocess = task.preprocess
    task.preprocess = lambda texts: preprocess(tf.strings.lower(texts))
    task.preprocess.tokenizer = preprocess.tokenizer
    task.preprocess.seq_length = preprocess.seq_length
    with pytest.raises(ValueError, match="needs StringLower. .*files=.'ids'"):
        export_tflite(task, tmp_path / "model.tflite", "float32")
    assert os.listdir(tmp_path) == []


def test_a_model_that_computes_in_bfloat16_is_refused(bert, tmp_path):
    keras.config.set_dtype_policy("mixed_bfloat16")
    pretrained = PretrainedModel.from_config(bert.config, bert.tokenizer)
    with pytest.raises(ValueError, match="Received: .*bfloat16.*'float32'"):
        export_tflite(FeatureExtractor(pretrained), tmp_path / "m.tflite")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "kind, difference, cosine, num_labels, num_equal, is_within",
    [
        ("float32", 9e-5, 1, 0, 0, True),
        ("float32", float("nan"), 1, 9, 9, False),
        ("int8", 1, 0.5, 16, 15, True),
        ("int8", 1, 0.5, 16, 14, False),
        ("int8", 1, 0.995, 0, 0, True),
        ("full_int8", 1, 0.98, 0, 0, False),
        ("int8", float("nan"), float("nan"), 0, 0, False),
    ],
)
def test_what_a_kind_may_lose(
    kind, difference, cosine, num_labels, num_equal, is_within
):
    found = Comparison(1, difference, cosine, num_labels, num_equal, 1.0, 1.0)
    assert found.is_within(kind) is is_within


def test_texts_are_read_line_by_line(bert, task, tmp_path):
    path = tmp_path / "texts.txt"
    path.write_bytes("a\u2028b\n\nc\td\n".encode())
    assert read_texts(task, path) == ["a\u2028b", "c\td"]
    assert read_texts(task, None) is None
    chooser = MultipleChoice(bert)
    path.write_bytes(b"a\tb\tc\n")
    assert read_texts(chooser, path) == [("a", ["b", "c"])]
    path.write_bytes(b"a\tb\tc\n\na\tb\n")
    with pytest.raises(ValueError, match="line 3, must .*Received: 2"):
        read_texts(chooser, path)
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="texts.txt, line 1, must be UTF-8"):
        read_texts(task, path)
