"""Tests for `ZeroShotClassifier`."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks import TextClassifier
from keras_bert.tasks import ZeroShotClassifier
from tests import tiny

_NLI = ["contradiction", "neutral", "entailment"]
_TEXTS = ["the dog eats", "a cat", "", "meat and fish " * 9]
_LABELS = ["dog", "cat sees", "bird"]
_TEMPLATE = "the {} eats"

_PAIRS = [(x, _TEMPLATE.format(y)) for x in _TEXTS for y in _LABELS]

_multi_label = pytest.mark.parametrize("multi_label", [False, True])


@pytest.fixture(scope="module")
def nli():
    model = TextClassifier(tiny.make_bert(max_position_embeddings=16), _NLI)
    # With a mean of 0, about half of the labels are above the threshold.
    logits = model._logits(model._encode(_PAIRS))
    model._last_layer.logits.bias.assign(-logits.mean(axis=0))
    return model


@_multi_label
def test_probabilities_are_those_of_entailment(nli, multi_label):
    logits = nli._logits(nli._encode(_PAIRS)).reshape(len(_TEXTS), -1, 3)
    expected = np.exp(logits[..., 2])
    others = expected.sum(axis=1, keepdims=True)
    if multi_label:
        others = expected + np.exp(logits[..., 0])
    expected = expected / others
    order = np.argsort(-expected)
    names = [[_LABELS[i] for i in row] for row in order]
    task = ZeroShotClassifier(nli.pretrained, _TEMPLATE, multi_label)
    found = task.probabilities(_TEXTS, _LABELS)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    answers = task.predict(_TEXTS, _LABELS)
    labels = tf.constant([_LABELS] * len(_TEXTS))
    graph = task.predict_texts(tf.constant(_TEXTS), labels)
    assert tuple(graph) == task.output_names
    np.testing.assert_allclose(graph["probabilities"], expected, atol=1e-5)
    graph = {x: graph[x].numpy().astype(str).tolist() for x in graph}
    if multi_label:
        counts = (expected >= 0.5).sum(axis=1)
        assert 0 < counts.sum() < expected.size
        names = [row[:n] for row, n in zip(names, counts, strict=True)]
        assert [[x["label"] for x in row] for row in answers] == names
        assert graph["labels"] == [x + [""] * (3 - len(x)) for x in names]
    else:
        names = [row[0] for row in names]
        assert [x["label"] for x in answers] == graph["label"] == names
        assert [x["truncated"] for x in answers] == [False] * 3 + [True]
    assert task.predict([], _LABELS) == []


def test_a_template_is_a_format_string(nli):
    task = ZeroShotClassifier(nli.pretrained, "the {{x}} {} eats")
    assert task.preprocess.hypothesis("dog") == "the {x} dog eats"


def test_the_length_is_that_of_the_files(nli, tmp_path):
    nli.save(tmp_path, format="hf")
    for name in "task.json", "manifest.json":
        (tmp_path / name).unlink()
    path = tmp_path / "tokenizer_config.json"
    values = json.loads(path.read_text())
    for limit, length in (9, 9), (10**30, 16):
        path.write_text(json.dumps({**values, "model_max_length": limit}))
        task = ZeroShotClassifier.from_pretrained(tmp_path)
        assert task.preprocess.seq_length == length
    task = ZeroShotClassifier.from_pretrained(tmp_path, seq_length=8)
    assert task.preprocess.seq_length == 8


@pytest.mark.exhaustive
def test_labels_are_an_input_of_the_saved_model(nli, tmp_path):
    task = ZeroShotClassifier(nli.pretrained, _TEMPLATE)
    task.export_saved_model(tmp_path)
    served = tf.saved_model.load(str(tmp_path / "1")).signatures
    labels = tf.constant([_LABELS[:2]] * len(_TEXTS))
    texts = tf.constant(_TEXTS)
    found = served["serving_default"](text=texts, labels=labels)["label"]
    answers = task.predict(_TEXTS, _LABELS[:2])
    assert [*found.numpy().astype(str)] == [x["label"] for x in answers]


@pytest.mark.parity
@_multi_label
def test_answers_are_those_of_transformers(nli, multi_label, tmp_path):
    import transformers

    nli.save(tmp_path, format="hf")
    tokenizer = transformers.BertTokenizer.from_pretrained(tmp_path)
    kind = "zero-shot-classification"
    pipeline = transformers.pipeline(kind, str(tmp_path), tokenizer=tokenizer)
    how = {"hypothesis_template": _TEMPLATE, "multi_label": multi_label}
    task = ZeroShotClassifier.from_pretrained(tmp_path, **how)
    found = task.probabilities(_TEXTS[:2], _LABELS)
    expected = pipeline(_TEXTS[:2], _LABELS, **how)
    for row, theirs in zip(found, expected, strict=True):
        order = np.argsort(-row)
        assert theirs["labels"] == [_LABELS[index] for index in order]
        np.testing.assert_allclose(theirs["scores"], row[order], atol=1e-5)
