import numpy as np
import pytest

from keras_bert.tasks import fuse_rankings


def test_scores_are_sums_of_reciprocal_ranks():
    first = np.array([[4, 2, 9], [0, 1, 2]])
    second = np.array([[2, 7], [1, 0]])
    indices, scores = fuse_rankings([first, second], k=10)
    # Three documents for the second query.
    assert indices.tolist() == [[2, 4, 7], [0, 1, 2]]
    expected = [1 / 12 + 1 / 11, 1 / 11, 1 / 12]
    np.testing.assert_allclose(scores[0], expected)
    np.testing.assert_allclose(scores[1, :2], 1 / 11 + 1 / 12)
    assert fuse_rankings([first], top_k=1)[0].tolist() == [[4], [0]]


def test_no_queries_have_no_results():
    indices, scores = fuse_rankings([np.empty((0, 3), int)] * 2)
    assert indices.shape == scores.shape == (0, 10)


@pytest.mark.parametrize(
    "rankings",
    [
        [],
        [np.zeros((2, 2))],
        [np.zeros(3, int)],
        [np.array([[0, -1]])],
        [np.eye(2, dtype=int)[:n] for n in (1, 2)],
    ],
)
def test_wrong_rankings_are_refused(rankings):
    with pytest.raises(ValueError, match="`rankings` must be .* shapes"):
        fuse_rankings(rankings)
