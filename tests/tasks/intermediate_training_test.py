"""A model fine-tuned for one task initializes another."""

import numpy as np
import pytest

from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier

pytestmark = pytest.mark.usefixtures("eager_steps")

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


def _weights(task, *names):
    """Return the arrays of layers by path."""
    return {
        path: np.asarray(value)
        for path, value in task.pretrained.weights.items()
        if path.startswith(names)
    }


@pytest.mark.parametrize("kind", _READERS)
def test_every_task_starts_from_every_other(make_bert, tmp_path, kind, caplog):
    caplog.set_level("INFO")
    task = kind(make_bert(), **_READERS[kind])
    task.save(tmp_path)
    for other, arguments in _READERS.items():
        if other is kind:
            continue
        caplog.clear()
        begun = other.from_pretrained(tmp_path, **arguments)
        weights = [_weights(x, "embeddings", "block_0") for x in (task, begun)]
        assert len(weights[0]) > 10
        np.testing.assert_equal(*weights)
        told = f"Replacing the head of {kind.__name__} ({task.outputs.head}, "
        assert told in caplog.text
        without_pooler = (TokenClassifier, QuestionAnswerer)
        is_new = kind in without_pooler and other not in without_pooler
        assert ("The pooler is new" in caplog.text) == is_new


def test_a_pooler_that_starts_random_learns_and_is_saved(bert, tmp_path):
    QuestionAnswerer(bert).save(tmp_path / "x")
    classifier = TextClassifier.from_pretrained(tmp_path / "x", labels=_LABELS)
    before = _weights(classifier, "pooler")
    classifier.fit(_PAIRS, _LABELS, learning_rate=0.01, **_TINY)
    learned = _weights(classifier, "pooler")
    assert len(before) == 2
    assert not any(np.array_equal(before[x], learned[x]) for x in before)
    classifier.save(tmp_path / "classifier")
    again = TextClassifier.from_pretrained(tmp_path / "classifier")
    np.testing.assert_equal(_weights(again, "pooler"), learned)


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
