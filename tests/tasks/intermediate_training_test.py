"""A model fine-tuned for one task initializes another."""

import keras
import numpy as np
import pytest

from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier

_PAIRS = [("the dog", "eats meat"), ("a cat", "the bird"), ("fish", "seeds")]
_LABELS = ["entailment", "neutral", "contradiction"]
_TINY = {"epochs": 1, "verbose": 0, "batch_size": 4}
_READERS = {
    TextClassifier: {"labels": _LABELS},
    TextRegressor: {},
    TokenClassifier: {"labels": ["O", "B-X", "I-X"]},
    MultipleChoice: {},
    QuestionAnswerer: {},
}


@pytest.fixture(autouse=True)
def seeded(caplog):
    keras.utils.set_random_seed(1)
    caplog.set_level("INFO")


def _weights(task, *names):
    return {
        path: np.asarray(value)
        for path, value in task.pretrained.weights.items()
        if path.partition("/")[0] in names
    }


def _assert_same_encoder(one, two):
    names = [layer.name for layer in one.pretrained.backbone.blocks]
    weights = [_weights(x, "embeddings", *names) for x in (one, two)]
    assert len(weights[0]) > 10
    assert {*weights[0]} == {*weights[1]}
    for path, value in weights[0].items():
        np.testing.assert_array_equal(value, weights[1][path])


@pytest.mark.parametrize("kind", _READERS)
def test_every_task_starts_from_every_other(make_bert, tmp_path, kind, caplog):
    task = kind(make_bert(), **_READERS[kind])
    task.save(tmp_path)
    for other, arguments in _READERS.items():
        if other is kind:
            continue
        caplog.clear()
        begun = other.from_pretrained(tmp_path, **arguments)
        _assert_same_encoder(task, begun)
        told = f"Replacing the head of {kind.__name__} ({task.answer.head}, "
        assert told in caplog.text
        lacks_pooler = kind in (TokenClassifier, QuestionAnswerer)
        wants_pooler = other not in (TokenClassifier, QuestionAnswerer)
        assert ("The pooler is new" in caplog.text) == (
            lacks_pooler and wants_pooler
        )


def test_a_pooler_that_starts_random_learns_and_is_saved(bert, tmp_path):
    QuestionAnswerer(bert).save(tmp_path / "answerer")
    classifier = TextClassifier.from_pretrained(
        tmp_path / "answerer", labels=_LABELS
    )
    before = _weights(classifier, "pooler")
    assert len(before) == 2
    classifier.fit(_PAIRS, _LABELS, learning_rate=0.01, **_TINY)
    for path, value in _weights(classifier, "pooler").items():
        assert np.abs(value - before[path]).max() > 0
    classifier.save(tmp_path / "classifier")
    again = TextClassifier.from_pretrained(tmp_path / "classifier")
    np.testing.assert_allclose(
        again.probabilities(_PAIRS),
        classifier.probabilities(_PAIRS),
        atol=1e-6,
    )


def test_a_model_of_pairs_may_learn_single_texts(bert, tmp_path):
    first = TextRegressor(bert)
    first.fit(_PAIRS, [1, 2, 3], **_TINY)
    first.save(tmp_path)
    second = TextRegressor.from_pretrained(tmp_path)
    with pytest.raises(ValueError, match="must be pairs"):
        second.predict(["the dog"])
    texts = ["the dog", "a fish"]
    with pytest.raises(ValueError, match="must be single texts"):
        second.fit(texts, [1, 2], (_PAIRS, [1, 2, 3]), **_TINY)
    second.fit(texts, [1, 2], **_TINY)
    assert second.is_pair is False
    assert len(second.predict(texts)) == 2
