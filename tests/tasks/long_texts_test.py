"""Texts longer than the model are read in windows, end to end."""

import os

import numpy as np
import pytest

from keras_bert.export import export_saved_model
from keras_bert.export import export_tflite
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor

_LABELS = ["animal", "food"]
# The model takes 10 pieces; these texts have 12 to 22, with the label last.
_FILLER = "the a . the a . the a . the "
_TEXTS = [
    _FILLER * n + x for n in (1, 2) for x in ("dog", "fish", "cat", "meat")
]
_TARGETS = [0, 1] * 4


@pytest.fixture
def classifier(bert):
    return TextClassifier(bert, labels=_LABELS, windows="max")


def _by_hand(task, text, pool):
    """Return the pooled logits of separate windows."""
    words = text.split()
    num_more = max(0, -(-(len(words) - 10) // 10))
    starts = np.linspace(0, max(0, len(words) - 10), 1 + num_more).astype(int)
    inputs = task.preprocess([" ".join(words[n : n + 10]) for n in starts])
    return pool(np.asarray(task.model(inputs)["logits"]), axis=0)


@pytest.mark.parametrize(
    ("windows", "pool"), [("mean", np.mean), ("max", np.max)]
)
def test_logits_are_pooled_over_windows(make_bert, windows, pool):
    texts = [*_TEXTS, "the dog", ""]
    regressor = TextRegressor(make_bert(), windows=windows)
    expected = [_by_hand(regressor, text, pool)[0] for text in texts]
    np.testing.assert_allclose(regressor.predict(texts), expected, atol=1e-5)


def test_short_texts_are_answered_as_without_windows(classifier):
    whole = TextClassifier(
        classifier.pretrained, labels=_LABELS, truncation="head"
    )
    texts = ["the dog", "", "meat and fish"]
    np.testing.assert_array_equal(
        whole.probabilities(texts), classifier.probabilities(texts)
    )
    assert classifier.predict([]) == []


def test_pairs_are_refused(classifier):
    pairs = [("the dog", text) for text in _TEXTS]
    for act in (
        lambda: classifier.fit(pairs, _TARGETS),
        lambda: classifier.predict(pairs),
    ):
        with pytest.raises(ValueError, match="windows='max', and pairs"):
            act()


@pytest.mark.parametrize("export", [export_saved_model, export_tflite])
def test_a_graph_that_would_read_less_is_refused(classifier, tmp_path, export):
    with pytest.raises(ValueError, match="`truncation`.*windows='max'"):
        export(classifier, tmp_path / "1")
    assert os.listdir(tmp_path) == []
