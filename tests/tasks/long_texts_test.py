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
_TEXTS = [_FILLER * n + x for n in (1, 2) for x in ("dog", "meat")]


@pytest.fixture
def classifier(bert):
    return TextClassifier(bert, labels=_LABELS, windows="max")


def _by_hand(task, text, windows):
    """Return the pooled logits of separate windows."""
    words = text.split()
    num_more = max(0, -(-(len(words) - 10) // 10))
    starts = np.linspace(0, max(0, len(words) - 10), 1 + num_more).astype(int)
    inputs = task.preprocess([" ".join(words[n : n + 10]) for n in starts])
    logits = np.asarray(task.model(inputs)["logits"])
    return getattr(logits, windows)(axis=0)


@pytest.mark.parametrize("windows", ["mean", "max"])
def test_logits_are_pooled_over_windows(make_bert, windows):
    texts = [*_TEXTS, "the dog", ""]
    regressor = TextRegressor(make_bert(), windows=windows)
    expected = [_by_hand(regressor, text, windows)[0] for text in texts]
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


@pytest.mark.parametrize("export", [export_saved_model, export_tflite])
def test_a_graph_that_would_read_less_is_refused(classifier, tmp_path, export):
    with pytest.raises(ValueError, match="`truncation`.*windows='max'"):
        export(classifier, tmp_path / "1")
    assert os.listdir(tmp_path) == []
