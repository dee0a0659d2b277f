"""Reciprocal rank fusion of search results."""

import collections.abc

import numpy as np

from keras_bert import checks


def fuse_rankings(
    rankings: collections.abc.Sequence[np.ndarray],
    top_k: int = 10,
    k: int = 60,
) -> tuple[np.ndarray, np.ndarray]:
    """Merge several rankings of the same documents (reciprocal rank fusion).

    The score of a document is the sum of 1 / (k + rank) over the rankings that
    contain it, where ranks start at 1. Documents with equal scores are sorted
    by index.

    Args:
        rankings: list of int arrays `(num_queries, num_results)`, such as the
            indices returned by `search` for two embedders. The numbers of
            results may differ.
        top_k: maximum number of results per query.
        k: constant that reduces the effect of the first ranks.

    Returns:
        The indices of the documents, int64 `(num_queries, n)`, and their
        scores, float64 `(num_queries, n)`, best first; n is `top_k`, or the
        smallest number of distinct documents of a query if that is smaller.

    Raises:
        ValueError: an array has the wrong shape or type.

    Example:

    >>> dense, sparse = np.array([[7, 3, 5]]), np.array([[3, 9]])
    >>> indices, scores = keras_bert.tasks.fuse_rankings([dense, sparse])
    >>> indices.tolist()
    [[3, 7, 9, 5]]

    References:
        [Reciprocal Rank
        Fusion](https://dl.acm.org/doi/10.1145/1571941.1572114)
    """
    checks.at_least(1, top_k=top_k, k=k)
    arrays = [np.asarray(ranking) for ranking in rankings]
    shapes = [array.shape for array in arrays]
    if (
        not arrays
        or any(array.dtype.kind not in "iu" for array in arrays)
        or any((array < 0).any() for array in arrays)
        or {len(shape) for shape in shapes} != {2}
        or len({num_queries for num_queries, _ in shapes}) != 1
    ):
        raise ValueError(
            "`rankings` must be a list of 2D int arrays of indices, with a row "
            "for each query, such as the indices that `search` returns. They "
            "must not be negative. Received arrays of the "
            f"shapes {shapes}."
        )
    fused = [_fused(rows, k) for rows in zip(*arrays, strict=True)]
    size = min([top_k, *(len(indices) for indices, _ in fused)])
    indices = [indices[:size] for indices, _ in fused]
    scores = [scores[:size] for _, scores in fused]
    shape = len(fused), size
    return (
        np.array(indices, np.int64).reshape(shape),
        np.array(scores, np.float64).reshape(shape),
    )


def _fused(rows, k):
    """Return the documents of one query and their scores, best first."""
    ranks = [np.arange(1, 1 + len(row)) for row in rows]
    indices, inverse = np.unique(np.concatenate(rows), return_inverse=True)
    scores = np.bincount(inverse, 1 / (k + np.concatenate(ranks)), len(indices))
    order = np.lexsort((indices, -scores))
    return indices[order], scores[order]
