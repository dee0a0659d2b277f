"""Ranking metrics for queries with their documents."""

import numpy as np

from keras_bert.tasks.outputs.ranking_metrics import Hits
from keras_bert.tasks.outputs.scores import spearman

RANKING_METRICS = ("ndcg_at_10", "mrr_at_10", "mean_average_precision")
_DEPTH = 10


def ranking_scores(queries, labels, scores):
    """Compute ranking metrics for the documents of each query.

    Documents are sorted by score; documents with equal scores keep their order.
    Documents with a label above 0 are relevant, and the label is their gain. If
    each query has only one document, all documents form one ranking.

    Args:
        queries: list of the query of each document.
        labels: float array `(num_documents,)`.
        scores: float array `(num_documents,)`.

    Returns:
        A dict with `ndcg_at_10`, `mrr_at_10` and `mean_average_precision`,
        averaged over the queries with a relevant document (0.0 if there are
        none), and `spearman`, the rank correlation of all scores and labels.
    """
    names = {}
    numbers = [names.setdefault(query, len(names)) for query in queries]
    is_one_list = len(names) == len(queries)
    numbers = np.zeros(len(queries), int) if is_one_list else np.array(numbers)
    gains = np.maximum(labels, 0).astype(float)
    means = np.zeros(len(RANKING_METRICS))
    if gains.any():
        hits, hit_gains = _hits(numbers, scores, gains)
        best, ideal = _hits(numbers, gains, gains)
        means = (
            np.mean(hits.gain(hit_gains, _DEPTH) / best.gain(ideal, _DEPTH)),
            hits.reciprocal_rank(_DEPTH),
            hits.average_precision(len(queries)),
        )
    return {
        **dict(zip(RANKING_METRICS, map(float, means), strict=True)),
        "spearman": spearman(labels, scores),
    }


def _hits(queries, scores, gains):
    """Return the `Hits` of documents sorted by score, and their gains."""
    order = np.lexsort((-scores, queries))
    queries, gains = queries[order], gains[order]
    ranks = np.arange(1, len(order) + 1) - np.searchsorted(queries, queries)
    is_hit = gains > 0
    _, queries, num_relevant = np.unique(
        queries[is_hit], return_inverse=True, return_counts=True
    )
    return Hits(queries, ranks[is_hit], num_relevant), gains[is_hit]
