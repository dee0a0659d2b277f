"""Correlation and retrieval metrics for embeddings."""

import numpy as np

from keras_bert.tasks.embeddings.multi_vectors import MultiVectors
from keras_bert.tasks.embeddings.multi_vectors import max_sim
from keras_bert.tasks.outputs.ranking_metrics import Hits
from keras_bert.tasks.outputs.scores import pearson
from keras_bert.tasks.outputs.scores import spearman

_RECALLS = (1, 5, 10)
# The main metric is the last one.
SCORED_METRICS = ("pearson", "spearman")
RETRIEVAL_METRICS = (
    *(f"recall_at_{depth}" for depth in _RECALLS),
    "mean_reciprocal_rank",
)
_PAIRS_AT_ONCE = 1024


def scored_pair_scores(sides, pairs, scores, is_cosine=True):
    """Compute correlations between similarities and given scores.

    Args:
        sides: tuple of the embeddings of all texts as the first and as the
            second text of a pair: float arrays or sparse arrays
            `(num_texts, dim)`, or `MultiVectors`.
        pairs: int array `(num_pairs, 2)`, row indices of the embeddings.
        scores: float array `(num_pairs,)`.
        is_cosine: bool, whether to compare cosines instead of dot products.

    Returns:
        A dict with `pearson` and `spearman`.
    """
    first, second = _compared_sides(sides, is_cosine)
    similarities = pair_scores(first[pairs[:, 0]], second[pairs[:, 1]])
    scores = scores.astype(float)
    return {
        "pearson": pearson(scores, similarities),
        "spearman": spearman(scores, similarities),
    }


def retrieval_scores(sides, examples, is_cosine=True):
    """Compute retrieval metrics for anchors and their positives.

    Each distinct anchor is a query. The candidates are all distinct positives
    and the negatives of triplets, without the anchor itself. If an anchor has
    several positives, the recall is the share of retrieved positives, and the
    reciprocal rank uses the first one. A candidate with the same score as a
    positive ranks before it.

    Args:
        sides: tuple of the embeddings of all texts as anchors and as
            candidates, see `scored_pair_scores`.
        examples: int array `(num_examples, 2)` or `(num_examples, 3)`, row
            indices of anchor, positive and (in triplets) negative.
        is_cosine: bool, see `scored_pair_scores`.

    Returns:
        A dict with `recall_at_1`, `recall_at_5`, `recall_at_10` and
        `mean_reciprocal_rank`.
    """
    sides = _compared_sides(sides, is_cosine)
    candidates = np.unique(examples[:, 1:])
    pairs = np.unique(examples[:, :2], axis=0)
    ranks = np.concatenate(
        [
            _ranks(sides, pairs[start : start + _PAIRS_AT_ONCE], candidates)
            for start in range(0, len(pairs), _PAIRS_AT_ONCE)
        ]
    )
    _, anchors, num_positives = np.unique(
        pairs[:, 0], return_inverse=True, return_counts=True
    )
    hits = Hits(anchors, ranks, num_positives)
    return {
        **{f"recall_at_{depth}": hits.recall(depth) for depth in _RECALLS},
        "mean_reciprocal_rank": hits.reciprocal_rank(),
    }


def _ranks(sides, pairs, candidates):
    """Return the rank (from 1) of each positive among the candidates."""
    anchor_vectors, vectors = sides
    scores = _all_scores(anchor_vectors[pairs[:, 0]], vectors[candidates])
    anchors, positives = pairs[:, :1], pairs[:, 1:]
    own = np.searchsorted(candidates, positives)
    own = np.take_along_axis(scores, own, axis=1)
    is_other = (candidates != anchors) & (candidates != positives)
    return 1 + ((scores >= own) & is_other).sum(axis=1)


def _all_scores(anchors, candidates):
    if isinstance(anchors, MultiVectors):
        return max_sim(anchors, candidates)
    return as_array(anchors @ candidates.T)


def pair_scores(first, second):
    """Return the dot product, or MaxSim, of each row with the same row.

    Args:
        first, second: arrays or sparse arrays `(num_rows, dim)`, or
            `MultiVectors`.
    """
    if isinstance(first, MultiVectors):
        rows = [[index] for index in range(len(first))]
        scores = [first[row].max_sim(second[row]) for row in rows]
        return np.ravel(scores)
    if hasattr(first, "multiply"):  # `*` differs for sparse matrices.
        return np.ravel(first.multiply(second).sum(axis=1))
    return (first * second).sum(axis=1)


def _compared_sides(sides, is_cosine):
    first, second = sides
    compared = _compared(first, is_cosine)
    if second is first:
        return compared, compared
    return compared, _compared(second, is_cosine)


def _compared(vectors, is_cosine):
    """Return float64 vectors to compare by their dot products."""
    if isinstance(vectors, MultiVectors):
        return vectors
    vectors = vectors.astype(np.float64)
    if not is_cosine:
        return vectors
    lengths = np.sqrt(pair_scores(vectors, vectors))
    lengths = np.maximum(lengths, 1e-12)[:, None]
    if isinstance(vectors, np.ndarray):
        return vectors / lengths
    return vectors.multiply(1 / lengths).tocsr()


def as_array(values):
    """Return an array of the values of an array or sparse array."""
    return np.asarray(
        values.toarray() if hasattr(values, "toarray") else values
    )
