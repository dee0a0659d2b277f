"""Losses on scores match the cross-encoder losses of sentence-transformers."""

import pathlib

import keras
import numpy as np
import pytest

from keras_bert import losses
from tests.losses.gradients import value_and_gradient

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "score_losses.npz"
_LOSSES = {
    "BinaryCrossEntropyLoss": losses.BinaryCrossEntropyLoss(),
    "ScoreMSELoss": losses.ScoreMSELoss(),
    "ListNetLoss": losses.ListNetLoss(),
    "LambdaLoss": losses.LambdaLoss(),
    "LambdaLoss_k": losses.LambdaLoss(k=2),
    "LambdaLoss_mu": losses.LambdaLoss(mu=0),
    "ScoreMarginMSELoss": losses.ScoreMarginMSELoss(),
}


@pytest.mark.parametrize("name", _LOSSES)
def test_losses_and_gradients_equal_sentence_transformers(name):
    loss = keras.losses.deserialize(keras.losses.serialize(_LOSSES[name]))
    with np.load(_GOLDEN) as golden:
        labels, scores = golden["labels"], golden["scores"]
        expected = golden[name], golden[f"{name}_gradient"]
    if name == "BinaryCrossEntropyLoss":
        labels = labels / 3
    if name == "ScoreMarginMSELoss":  # Only the first two have scores.
        labels = np.where(np.arange(4) < 2, labels, -np.inf)
    loss.check(labels)
    found = value_and_gradient(loss, labels, scores)
    for values, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", _LOSSES)
def test_huge_scores_and_lone_documents_have_a_finite_gradient(name):
    labels = np.array([[1, 0, 0], [1, -np.inf, -np.inf], [0, 0, 0]], "float32")
    scores = np.array([[-1e30, 1e30, 0], [1, 2, 3], [5, 5, 5]], "float32")
    if "MSE" in name:
        scores = scores.clip(-1e6, 1e6)
    value, gradient = value_and_gradient(_LOSSES[name], labels, scores)
    assert np.isfinite(value) and np.isfinite(gradient).all()
    assert not np.any(gradient[1, 1:])
