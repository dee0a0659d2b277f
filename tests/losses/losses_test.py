"""Losses on embeddings match sentence-transformers."""

import pathlib

import keras
import numpy as np
import pytest

from keras_bert import losses
from tests.losses.gradients import value_and_gradient

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
_RANKING = losses.MultipleNegativesRankingLoss
_SIZES = {"dims": (13, 6, 3), "weights": (1.0, 0.5, 2.0)}
_LOSSES = {
    "ranking": _RANKING(),
    "ranking_negatives": _RANKING(scale=5.0),
    "symmetric": _RANKING(symmetric=True),
    "symmetric_negatives": _RANKING(symmetric=True),
    "cosine": losses.CosineSimilarityLoss(),
    "cosent": losses.CoSENTLoss(),
    "angle": losses.AnglELoss(scale=10.0),
    "margin": losses.MarginMSELoss(),
    "margins": losses.MarginMSELoss(),
    "margin_scores": losses.MarginMSELoss(),
    "kl": losses.DistillKLDivLoss(temperature=2.0),
    "triplet": losses.TripletLoss(),
    "mse": losses.MSELoss(),
    "contrastive": losses.ContrastiveLoss(),
    "contrastive_margin": losses.ContrastiveLoss(margin=1.2),
    "batch_hard": losses.BatchHardTripletLoss(),
    "batch_hard_margin": losses.BatchHardTripletLoss(margin=0.1),
    "batch_hard_soft": losses.BatchHardTripletLoss(margin=None),
    "matryoshka_ranking": losses.MatryoshkaLoss(_RANKING(), **_SIZES),
    "matryoshka_cosent": losses.MatryoshkaLoss(losses.CoSENTLoss(), **_SIZES),
    "matryoshka_mse": losses.MatryoshkaLoss(losses.MSELoss(), **_SIZES),
}
# The guide is not needed to compute the loss.
_GUIDED = {
    "gist": losses.GISTEmbedLoss(None),
    "gist_negatives": losses.GISTEmbedLoss(None, temperature=0.1, margin=0.05),
    "gist_relative": losses.GISTEmbedLoss(None, relative_margin=0.2),
}
_SPARSE_RANKING = _RANKING(scale=1.0, similarity="dot")
_WEIGHTS = {"document_weight": 0.3, "query_weight": 0.5}
_THRESHOLDS = {"document_threshold": 7, "query_threshold": 6}
_SPLADE = {
    name: losses.SpladeLoss(loss, **options)
    for name, loss, options in (
        ("ranking", _SPARSE_RANKING, _WEIGHTS),
        ("ranking_negatives", _SPARSE_RANKING, _WEIGHTS),
        ("documents_only", _SPARSE_RANKING, {"document_weight": 2.0}),
        ("thresholds", _SPARSE_RANKING, {**_WEIGHTS, **_THRESHOLDS}),
        ("margin", losses.MarginMSELoss(), _WEIGHTS),
        ("margins", losses.MarginMSELoss(), _WEIGHTS),
        ("kl", losses.DistillKLDivLoss(temperature=2.0), _WEIGHTS),
    )
}


@pytest.fixture(scope="module")
def golden():
    with np.load(_GOLDEN / "losses.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def golden_sparse():
    with np.load(_GOLDEN / "sparse_losses.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("name", _LOSSES)
def test_losses_and_gradients_equal_sentence_transformers(golden, name):
    _check(_LOSSES[name], golden, name)


@pytest.mark.parametrize("name", _SPLADE)
def test_splade_losses_equal_sentence_transformers(golden_sparse, name):
    _check(_SPLADE[name], golden_sparse, name)


@pytest.mark.parametrize("name", _GUIDED)
def test_guided_losses_equal_sentence_transformers(golden, name):
    _compare(_GUIDED[name], golden, name)


def _check(loss, golden, name):
    revived = keras.losses.deserialize(keras.losses.serialize(loss))
    vectors = golden[f"{name}/embeddings"]
    labels = golden.get(f"{name}/labels")
    shape = None if labels is None else labels.shape[1:]
    assert revived.accepts(vectors.shape[1], shape)
    _compare(revived, golden, name)


def _compare(loss, golden, name):
    vectors = golden[f"{name}/embeddings"]
    labels = golden.get(f"{name}/labels")
    if labels is None:
        labels = np.arange(vectors[..., 0].size).reshape(vectors.shape[:2])
    value, gradient = value_and_gradient(loss, labels, vectors)
    np.testing.assert_allclose(value, golden[f"{name}/loss"], rtol=1e-5)
    expected = golden[f"{name}/gradient"]
    np.testing.assert_allclose(
        gradient, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max()
    )


@pytest.mark.parametrize("name", _LOSSES)
def test_zero_vectors_have_a_finite_gradient(golden, name):
    vectors = np.zeros_like(golden[f"{name}/embeddings"])
    labels = golden.get(f"{name}/labels")
    if labels is None:
        labels = np.zeros(vectors.shape[:2])
    _, gradient = value_and_gradient(_LOSSES[name], labels, vectors)
    assert np.isfinite(gradient).all()


def test_symmetric_ranking_masks_the_anchors_of_the_same_positive():
    """Compare with the mean over the two directions, anchor by anchor."""
    random = np.random.default_rng(0)
    vectors = random.normal(size=(3, 2, 4)).astype("float32")
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    ids = np.array([[0, 1], [2, 1], [3, 4]])
    others = {0: [2], 1: [2], 2: [0, 1]}
    expected = 0
    for place, wrong in others.items():
        for own, other in ((0, 1), (1, 0)):
            rows = vectors[[place, *wrong], other]
            logits = rows @ vectors[place, own]
            expected += (np.log(np.exp(logits).sum()) - logits[0]) / 6
    loss = _RANKING(scale=1.0, symmetric=True)(ids, vectors)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)


@pytest.mark.parametrize("name", _LOSSES)
def test_wrong_examples_are_described(name):
    labels = np.zeros((4, 9), "float32")
    with pytest.raises(ValueError, match="needs .*3 texts with 9 numbers|13"):
        _LOSSES[name].check(3, labels, 13)
