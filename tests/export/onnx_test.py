"""ONNX files run by ONNX Runtime, with tokenization by `tokenizers`."""

import json
import os

import keras
import numpy as np
import onnxruntime as ort
import pytest
import tokenizers

from keras_bert import tasks
from keras_bert.export import export_onnx
from keras_bert.export.onnx.tokenizer_json import write_tokenizer_json
from keras_bert.text import BertTokenizer
from keras_bert.text import Preprocessor
from tests.export.conftest import OF_FEATURES
from tests.export.conftest import TASKS

_TEXTS = ["a dog eats meat", "", "[MASK] zebra, a cät 😀", "the cat. " * 9]
_IDS = {
    "input_ids": "input_ids",
    "input_mask": "attention_mask",
    "segment_ids": "token_type_ids",
}

_OUTPUTS = {
    "of_pairs": {"logits", "probabilities"},
    "tagger": {"logits"},
    "answerer": {"start_logits", "end_logits"},
    "embedder": {"last_hidden_state", "sentence_embedding"},
    "chooser": {"logits", "probabilities"},
    "ranker": {"logits"},
    "of_features": {"logits", "probabilities"},
    "tags_of_features": {"logits"},
}
_PACKED = {"answerer", "chooser", "of_pairs", *OF_FEATURES}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            name, marks=() if name == "of_pairs" else pytest.mark.exhaustive
        )
        for name in _OUTPUTS
    ],
)
def exported(request, bert, tmp_path_factory):
    """Return a task, its directory and the names of its outputs."""
    directory = tmp_path_factory.mktemp("onnx") / request.param
    task = TASKS[request.param](bert)
    export_onnx(task, directory, packed=request.param in _PACKED)
    return task, directory, _OUTPUTS[request.param]


def _expected(task, ids):
    """Return the outputs of a task by their names in the file."""
    outputs = task.predict_ids(ids)
    if "score" in outputs:
        return task.model({n: ids[n] for n in _IDS})
    if "embedding" not in outputs:
        return outputs
    states = task.pretrained.encoder({n: ids[n] for n in _IDS})
    return {
        "last_hidden_state": states["sequence_output"],
        "sentence_embedding": outputs["embedding"],
    }


def _check(found, expected, mask):
    """Compare the outputs of tokens; outputs of padding are arbitrary."""
    is_per_token = np.shape(found)[:2] == np.shape(mask)
    where = np.asarray(mask, bool) if is_per_token else slice(None)
    np.testing.assert_allclose(found[where], expected[where], atol=1e-4)


def _columns(task):
    """Return texts for each input; long texts are paired with short ones."""
    texts = {
        "text": _TEXTS,
        "text_pair": ["a bird"] * len(_TEXTS),
        "choices": [["a bird", "cats"]] * len(_TEXTS),
        "question": ["who eats?"] * len(_TEXTS),
        "context": _TEXTS,
    }
    return [texts[name] for name in task.text_inputs]


def _pieces(task, columns):
    """Return the encodings by `tokenizers`."""
    if "choices" in task.text_inputs:
        texts, choices = columns
        return [(t, c) for t, several in zip(texts, choices) for c in several]
    return columns[0] if len(columns) == 1 else [*zip(*columns)]


def test_texts_cut_by_tokenizers_get_the_numbers_of_python(exported):
    task, directory, outputs = exported
    columns = _columns(task)
    cutter = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    cut = cutter.encode_batch(_pieces(task, columns))
    inputs = {
        "input_ids": np.array([row.ids for row in cut]),
        "attention_mask": np.array([row.attention_mask for row in cut]),
        "token_type_ids": np.array([row.type_ids for row in cut]),
    }
    if "choices" in task.text_inputs:
        inputs = {k: x.reshape(len(_TEXTS), 2, -1) for k, x in inputs.items()}
    session = ort.InferenceSession(directory / "model.onnx")
    for tensor in session.get_inputs():
        assert tensor.type == "tensor(int64)"
        first, *_, last = tensor.shape
        assert (first, last) == ("batch_size", "seq_length")
    assert {x.shape[0] for x in session.get_outputs()} == {"batch_size"}
    names = [output.name for output in session.get_outputs()]
    numbers = dict(zip(names, session.run(None, inputs)))
    own = task.preprocess(*columns)
    if "questions" in own:  # `tokenizers` keeps the first window.
        _, first = np.unique(own["questions"], return_index=True)
        own = {name: rows.numpy()[first] for name, rows in own.items()}
    expected = _expected(task, own)
    assert {*numbers} == outputs
    for name, published in _IDS.items():
        np.testing.assert_array_equal(inputs[published], own[name])
    for name, values in numbers.items():
        _check(values, np.asarray(expected[name]), own["input_mask"])
        assert np.ptp(values) > 1e-3


def test_the_manifest_describes_the_model(exported):
    task, directory, outputs = exported
    manifest = json.loads((directory / "manifest.json").read_text())
    assert manifest["task"] == type(task).__name__
    assert manifest["inputs"] == [*_IDS.values()]
    assert {*manifest["outputs"]} == outputs
    assert manifest["labels"] == getattr(task, "labels", None)
    assert manifest["max_seq_length"] == 12


@pytest.mark.parametrize("truncation", ["head", "tail"])
def test_tokenizers_cuts_as_the_task(bert, tmp_path, truncation):
    cased = BertTokenizer(bert.tokenizer.vocabulary, lowercase=False)
    preprocess = Preprocessor(cased, bert.family.template, 9, truncation)
    write_tokenizer_json(preprocess, tmp_path / "tokenizer.json")
    cutter = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    texts = ["A dog eats meat and seeds.", "cats", "a\u0301\u200d\x00 dog"]
    pairs = ["the bird sees a fish and a cat.", "", "[SEP] the  \t\u3000cät"]
    for columns in ([texts], [texts, pairs]):
        given = columns[0] if len(columns) == 1 else [*zip(*columns)]
        rows = cutter.encode_batch(given)
        own = preprocess(*columns)["input_ids"]
        ids = np.array([row.ids for row in rows])
        np.testing.assert_array_equal(ids, own[:, : ids.shape[1]])
        assert ids.shape[1] == 9


def test_tokenizers_cannot_cut_in_the_middle(bert, tmp_path):
    template = bert.family.template
    preprocess = Preprocessor(bert.tokenizer, template, 9, "head_tail")
    write_tokenizer_json(preprocess, tmp_path / "tokenizer.json")
    cutter = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert cutter.truncation is None


@pytest.mark.parametrize(
    ("kind", "policy", "num_weights", "words"),
    [
        (tasks.FillMask, "float32", 0, "FillMask returns words.* a FillMask"),
        (tasks.FeatureExtractor, "mixed_bfloat16", 0, "float32.*bfloat16"),
        (tasks.FeatureExtractor, "float32", 2**29, "at most 2 GiB.* 2.00 GiB"),
    ],
)
def test_tasks_that_are_refused(
    make_bert, tmp_path, monkeypatch, kind, policy, num_weights, words
):
    keras.config.set_dtype_policy(policy)
    task = kind(make_bert())
    monkeypatch.setattr(task.model, "count_params", lambda: num_weights)
    with pytest.raises(ValueError, match=words):
        export_onnx(task, tmp_path / "onnx")
    assert os.listdir(tmp_path) == []


@pytest.mark.smoke("embedder")
@pytest.mark.parametrize("name", ["classifier", "embedder"])
def test_an_int8_file_is_compared_with_float32(bert, tmp_path, name):
    task = TASKS[name](bert)
    export_onnx(task, tmp_path / "onnx", packed=True, precision="int8")
    manifest = json.loads((tmp_path / "onnx/manifest.json").read_text())
    found = manifest["comparison"]
    assert (manifest["packed"], manifest["precision"]) == (True, "int8")
    assert found["num_texts"] == 16
    assert found["num_labels"] == (16 if name == "classifier" else 0)
    assert found["mean_cosine"] == 1 or 0.985 <= found["mean_cosine"]
    session = ort.InferenceSession(tmp_path / "onnx" / "model.onnx")
    rows = task.preprocess(["a dog eats meat", "a bird"])
    feed = {new: rows[x].numpy().astype("int64") for x, new in _IDS.items()}
    output = {"classifier": "logits", "embedder": "sentence_embedding"}[name]
    (values,) = session.run([output], feed)
    expected = _expected(task, rows)[output]
    np.testing.assert_allclose(values, expected, atol=0.1)


def test_an_int8_file_that_differs_is_refused(bert, tmp_path, monkeypatch):
    from keras_bert.export import quantization_comparison

    task = TASKS["embedder"](bert)
    monkeypatch.setattr(quantization_comparison, "_MIN_COSINE", 1.1)
    with pytest.raises(ValueError, match="cosine must be 0.985.* Received"):
        export_onnx(task, tmp_path / "onnx", precision="int8")
    assert os.listdir(tmp_path) == []


def test_a_file_is_close_if_labels_and_vectors_are(bert):
    from keras_bert.export.quantization_comparison import compare

    random = np.random.default_rng(7)
    vectors = [{"embedding": random.normal(size=(1, 9))} for _ in range(9)]
    vectors.append({"embedding": np.zeros((1, 9))})
    logits = [{"logits": random.normal(size=(1, 3))} for _ in range(9)]
    for task, outputs in (("embedder", vectors), ("classifier", logits)):
        task = TASKS[task](bert)
        assert compare(task, outputs, outputs).is_close
        assert not compare(task, outputs[::-1], outputs).is_close
