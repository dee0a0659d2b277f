import hypothesis
import numpy as np
import pytest
from hypothesis import strategies

from keras_bert.tasks.embeddings.scores import retrieval_scores
from keras_bert.tasks.embeddings.scores import scored_pair_scores


def _at(*degrees):
    """Return vectors of several lengths in the plane, at these angles."""
    radians = np.deg2rad(np.array(degrees, float))
    lengths = np.arange(1.0, len(degrees) + 1)[:, None]
    return lengths * np.stack([np.cos(radians), np.sin(radians)], axis=1)


def test_negatives_are_candidates():
    vectors = _at(0, 10, 5)
    scores = retrieval_scores((vectors, vectors), np.array([[0, 1, 2]]))
    assert scores["mean_reciprocal_rank"] == 0.5


def test_several_positives_of_an_anchor_share_its_recall():
    vectors = _at(0, 10, 30, 20)
    examples = np.array([[0, 1], [0, 2], [3, 3]])
    scores = retrieval_scores((vectors, vectors), examples)
    # The anchor at 20 degrees is its own positive; the other ranks 10 first.
    assert scores["recall_at_1"] == pytest.approx((1 / 2 + 1) / 2)
    assert scores["recall_at_5"] == pytest.approx(1.0)
    assert scores["mean_reciprocal_rank"] == 1.0


def test_the_anchor_itself_is_not_found():
    vectors = _at(0, 10)
    scores = retrieval_scores((vectors, vectors), np.array([[0, 1], [1, 0]]))
    assert scores["recall_at_1"] == 1.0


def test_vectors_that_are_all_equal_rank_last():
    vectors = np.ones((8, 3))
    scores = retrieval_scores((vectors, vectors), np.arange(8).reshape(4, 2))
    assert scores["recall_at_1"] == 0.0
    assert scores["mean_reciprocal_rank"] == pytest.approx(1 / 4)


@hypothesis.settings(max_examples=30, deadline=None)
@hypothesis.given(strategies.data())
def test_ranks_are_those_of_sorting(data):
    """Compare with a search that sorts; all cosines differ."""
    num = data.draw(strategies.integers(1, 12))
    random = np.random.default_rng(data.draw(strategies.integers(0, 99)))
    vectors = random.normal(size=(2 * num, 3))
    pairs = np.stack([np.arange(num), num + random.permutation(num)], 1)
    scores = retrieval_scores((vectors, vectors), pairs)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    ranks = []
    for anchor, positive in pairs:
        order = num + np.argsort(-unit[num:] @ unit[anchor])
        ranks.append(order.tolist().index(positive) + 1)
    for count in (1, 5, 10):
        expected = np.mean([rank <= count for rank in ranks])
        assert scores[f"recall_at_{count}"] == pytest.approx(expected)
    expected = np.mean([1 / rank for rank in ranks])
    assert scores["mean_reciprocal_rank"] == pytest.approx(expected)


def test_many_pairs_are_taken_in_parts(monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(40, 3))
    pairs = np.arange(40).reshape(20, 2)
    sides = vectors, vectors
    expected = retrieval_scores(sides, pairs)
    monkeypatch.setattr("keras_bert.tasks.embeddings.scores._PAIRS_AT_ONCE", 3)
    assert retrieval_scores((vectors, vectors), pairs) == pytest.approx(
        expected
    )


def test_scored_pairs_are_correlated_by_cosines():
    vectors = _at(0, 10, 60, 90)
    pairs = np.array([[0, 1], [0, 2], [0, 3]])
    scores = np.array([1.0, 0.2, 0.1], "float32")
    result = scored_pair_scores((vectors, vectors), pairs, scores)
    cosines = np.cos(np.deg2rad([10, 60, 90]))
    assert result["spearman"] == pytest.approx(1.0)
    assert result["pearson"] == pytest.approx(
        np.corrcoef(cosines, [1.0, 0.2, 0.1])[0, 1]
    )
