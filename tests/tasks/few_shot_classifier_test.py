"""Tests for `FewShotClassifier`."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks import FewShotClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks.few_shot_classifier import logistic_regression
from tests import tiny

_TEXTS = ["the dog eats", "a dog sees", "dog", "fish", "a fish sees", "seeds"]
_LABELS = ["x", "x", "x", "y", "y", "y"]


@pytest.fixture(scope="module")
def classifier():
    keras.utils.set_random_seed(1)
    embedder = TextEmbedder(tiny.make_bert(), normalize=True)
    classifier = FewShotClassifier(embedder, ["x", "y"])
    before = embedder.embed(_TEXTS)
    recipe = {"num_iterations": 4, "learning_rate": 1e-3, "verbose": 0}
    history = classifier.fit(_TEXTS, _LABELS, **recipe)
    assert len(history.history["loss"]) == 1
    assert not np.allclose(before, embedder.embed(_TEXTS))
    return classifier


def test_labels_are_learned_and_saved(classifier, tmp_path):
    assert classifier.evaluate(_TEXTS, _LABELS)["accuracy"] == 1.0
    expected = classifier.probabilities(_TEXTS)
    classifier.save(tmp_path)
    again = FewShotClassifier.from_pretrained(tmp_path)
    np.testing.assert_allclose(again.probabilities(_TEXTS), expected, atol=1e-6)
    assert [x["label"] for x in again.predict(_TEXTS)] == _LABELS
    graph = again.predict_texts(tf.constant(_TEXTS))
    assert tuple(graph) == again.output_names
    np.testing.assert_allclose(graph["probabilities"], expected, atol=1e-6)
    embedder = TextEmbedder.from_pretrained(tmp_path)
    vectors = classifier.embedder.embed(_TEXTS)
    np.testing.assert_allclose(embedder.embed(_TEXTS), vectors, atol=1e-6)
    with pytest.raises(ValueError, match="labels \\['x', 'y'\\].*'y', 'x'"):
        FewShotClassifier.from_pretrained(tmp_path, labels=["y", "x"])
    for labels in (np.array(["x", "y"]), {"y": 1, "x": 0}):
        again = FewShotClassifier.from_pretrained(tmp_path, labels=labels)
        assert again.labels == ["x", "y"]


def test_logistic_regression_minimizes_the_penalized_loss():
    random = np.random.default_rng(0)
    vectors = random.normal(size=(20, 4))
    targets = np.eye(3)[random.integers(0, 3, 20)]
    kernel, bias = logistic_regression(vectors, targets)
    odds = np.exp(vectors @ kernel + bias)
    errors = odds / odds.sum(axis=1, keepdims=True) - targets
    np.testing.assert_allclose(vectors.T @ errors, -kernel, atol=1e-6)
    np.testing.assert_allclose(errors.sum(axis=0), 0, atol=1e-6)
