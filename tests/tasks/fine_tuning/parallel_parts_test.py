"""Batches that are computed in parts."""

import keras
import numpy as np
import pytest

from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TokenClassifier
from keras_bert.tasks.fine_tuning.training import in_parallel_parts

pytestmark = pytest.mark.large

_TEXTS = ["the dog", "a cat sees", "meat and fish", "seeds", "a bird"]
_WORDS = [text.split() for text in _TEXTS]
_TAGS = [["O"] * (len(words) - 1) + ["B-THING"] for words in _WORDS]
_QUESTIONS = [(text, ["the meat", "a cat"]) for text in _TEXTS]


def _classifier(bert):
    return TextClassifier(bert, labels=["animal", "food"])


def _tagger(bert):
    return TokenClassifier(bert, labels=["O", "B-THING"])


_KINDS = {
    "texts": (_classifier, _TEXTS, [0, 0, 1, 1, 0]),
    "words": (_tagger, _WORDS, _TAGS),
    "choices": (MultipleChoice, _QUESTIONS, [0, 1, 1, 0, 1]),
}


def _learned(make_bert, kind, num_parts, **config):
    """Return the losses of each epoch and the final predictions."""
    keras.utils.set_random_seed(3)
    make, texts, labels = _KINDS[kind]
    task = make(make_bert(**config))
    # The last batch has one row, which leaves parts without a row.
    history = task.fit(
        texts,
        labels,
        epochs=4,
        batch_size=4,
        learning_rate=0.003,
        parallel_parts=num_parts,
        verbose=0,
    ).history
    rows = task._labelled(texts, labels).inputs(np.arange(len(texts)))
    outputs = task.model.predict_on_batch(rows)["logits"]
    return np.array(history["loss"]), np.array(outputs)


@pytest.mark.smoke("2-texts")
@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("num_parts", [2, 3])
def test_parts_learn_what_the_whole_learns(make_bert, kind, num_parts):
    whole = _learned(make_bert, kind, 1)
    parts = _learned(make_bert, kind, num_parts)
    assert whole[0][-1] < whole[0][0]
    for expected, found in zip(whole, parts, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-2, atol=2e-3)


@pytest.mark.exhaustive
def test_dropout_in_parts_is_the_same_for_the_same_seed(make_bert):
    dropout = {"hidden_dropout_prob": 0.3, "attention_probs_dropout_prob": 0.3}
    one, same = (_learned(make_bert, "texts", 2, **dropout) for _ in range(2))
    without = _learned(make_bert, "texts", 2)
    for a, b, c in zip(one, same, without, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.allclose(a, c)


def test_each_row_is_in_one_part(make_bert):
    model = _classifier(make_bert()).model
    parts = in_parallel_parts(model, 3)
    for num_rows in (1, 2, 5):
        rows = {
            name: np.full((num_rows, 4), number)
            for number, name in enumerate(model.input)
        }
        expected, found = (x.predict_on_batch(rows) for x in (model, parts))
        assert found.keys() == expected.keys()
        for name, values in expected.items():
            assert found[name].dtype == values.dtype
            np.testing.assert_allclose(
                found[name], values, rtol=1e-5, atol=1e-5
            )
    assert in_parallel_parts(model, 1) is model
