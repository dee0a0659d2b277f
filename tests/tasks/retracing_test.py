"""Calls with many sizes and models do not cause retracing warnings."""

import logging

import pytest
import tensorflow as tf

from keras_bert.tasks import FillMask
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder

_WORDS = "the a dog cat bird eats sees meat fish seeds".split()
_SIZES = range(1, 11)


@pytest.fixture
def warned():
    """Return the retracing warnings, a list of str."""
    found = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())
    tf.get_logger().addHandler(handler)
    yield found
    tf.get_logger().removeHandler(handler)


def _texts(size):
    return [" ".join(_WORDS[:size])] * size


def test_the_warnings_are_seen_here(warned):
    function = tf.function(lambda x: x)
    for size in _SIZES:
        function(size)
    assert "triggered tf.function retracing" in warned[0]


@pytest.mark.exhaustive
def test_texts_of_ten_sizes_are_traced_once(make_bert, warned):
    classifier = TextClassifier(make_bert(), labels=["x", "y"])
    embedder = TextEmbedder(make_bert())
    for size in _SIZES:
        classifier.predict(_texts(size))
        classifier.evaluate(_texts(size), [0] * size)
        embedder.embed(_texts(size))
        classifier.model.predict(classifier.preprocess(_texts(size)), verbose=0)
    assert not warned


def test_six_models_are_trained_in_peace(make_bert, warned):
    for _ in range(6):
        classifier = TextClassifier(make_bert(), labels=["x", "y"])
        classifier.fit(_texts(2), [0, 1], epochs=1, verbose=0)
    assert not warned


def test_six_models_are_traced_in_peace(make_bert, warned, monkeypatch):
    monkeypatch.setattr("keras_bert.text.preprocessor._EAGER_CALLS", 0)
    for _ in range(6):
        bert = make_bert()
        TextClassifier(bert, labels=["x", "y"]).predict(["a"])
        FillMask(bert)("the [MASK]")
    assert not warned
