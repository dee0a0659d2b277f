"""Ranking metrics such as recall, reciprocal rank and nDCG."""

import dataclasses

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.readers.beir import check_dicts
from keras_bert.tasks.readers.beir import positive_grades

_RECALLS = (1, 5, 10, 100)
_DEPTH = 10
# Number of results per query that the metrics use.
RANKING_LENGTH = 100


@dataclasses.dataclass(frozen=True)
class Hits:
    """Ranks of the hits, the relevant documents in the ranking of each query.

    Args:
        queries: int array `(num_hits,)`, query index of each hit.
        ranks: int array `(num_hits,)`, rank of each hit, starting at 1.
        num_relevant: int array `(num_queries,)`, number of relevant documents
            of each query, including those that the ranking lacks.
    """

    queries: np.ndarray
    ranks: np.ndarray
    num_relevant: np.ndarray

    def recall(self, depth):
        """Return the mean recall at a rank."""
        num_hits = self._sums(self.ranks <= depth)
        return float(np.mean(num_hits / self.num_relevant))

    def reciprocal_rank(self, depth=None):
        """Return the mean reciprocal rank; hits beyond `depth` count as 0."""
        first = np.zeros(len(self.num_relevant))
        np.maximum.at(first, self.queries, 1 / self.ranks)
        return float(np.mean(first * (depth is None or first >= 1 / depth)))

    def average_precision(self, depth):
        """Return the mean average precision (MAP) at a rank."""
        order = np.lexsort((self.ranks, self.queries))
        queries, ranks = self.queries[order], self.ranks[order]
        hit_numbers = np.arange(1, len(order) + 1)
        hit_numbers -= np.searchsorted(queries, queries)
        sums = np.bincount(
            queries,
            hit_numbers / ranks * (ranks <= depth),
            len(self.num_relevant),
        )
        return float(np.mean(sums / self.num_relevant))

    def gain(self, grades, depth):
        """Return the discounted cumulative gain (DCG) of each query at a rank.

        Args:
            grades: int array `(num_hits,)`, gain of each hit.
            depth: int, the rank.
        """
        discounted = grades / np.log2(self.ranks + 1)
        return self._sums(discounted * (self.ranks <= depth))

    def _sums(self, values):
        """Sum the values of the hits of each query."""
        return np.bincount(self.queries, values, len(self.num_relevant))


def retrieval_metrics(
    rankings: dict[str, list[str]], relevance: dict[str, dict[str, int]]
) -> dict[str, float]:
    """Compute retrieval metrics as trec_eval does.

    The metrics are means over the queries with at least one relevant document.
    They equal trec_eval's `ndcg_cut_10`, `map_cut_100` and `recall_k`, and
    BEIR's. sentence-transformers' evaluator computes the same if grades are 0
    or 1 and no query has more than 100 relevant documents.

    Args:
        rankings: dict mapping query ids to lists of document ids, best first.
            Only the first hundred are used.
        relevance: dict mapping query ids to dicts that map document ids to
            grades (int). Documents with a grade above 0 are relevant, and the
            grade is their gain in nDCG.

    Returns:
        A dict with `recall_at_1`, `recall_at_5`, `recall_at_10`,
        `recall_at_100`, `map_at_100`, `mrr_at_10` and `ndcg_at_10`.

    Raises:
        ValueError: a query has no ranking, a ranking repeats a document, or
            there is no relevant document.

    Example:

    >>> keras_bert.tasks.retrieval_metrics(
    ...     {"q1": ["d3", "d1", "d2"]}, {"q1": {"d1": 1}}
    ... )["mrr_at_10"]
    0.5
    """
    check_dicts(rankings=rankings, relevance=relevance)
    positive = positive_grades(relevance)
    for query in positive:
        ranking = rankings.get(query, ())
        if query not in rankings or len({*ranking}) < len(ranking):
            raise ValueError(
                "`rankings` must have a list of distinct documents for each "
                f"query of `relevance`. Received: {brief(query)} without one."
            )
    hits, grades = _hits([rankings[query] for query in positive], positive)
    best = [sorted(x, key=x.get, reverse=True) for x in positive.values()]
    ideal, ideal_grades = _hits(best, positive)
    shares = hits.gain(grades, _DEPTH) / ideal.gain(ideal_grades, _DEPTH)
    return {
        **{f"recall_at_{depth}": hits.recall(depth) for depth in _RECALLS},
        f"map_at_{RANKING_LENGTH}": hits.average_precision(RANKING_LENGTH),
        f"mrr_at_{_DEPTH}": hits.reciprocal_rank(_DEPTH),
        f"ndcg_at_{_DEPTH}": float(np.mean(shares)),
    }


def _hits(rankings, positive):
    """Return the `Hits` of rankings and their grades."""
    hits = [
        (query, rank, grades[name])
        for query, (ranking, grades) in enumerate(
            zip(rankings, positive.values(), strict=True)
        )
        for rank, name in enumerate(ranking[:RANKING_LENGTH], 1)
        if name in grades
    ]
    queries, ranks, grades = np.array(hits, int).reshape(-1, 3).T
    num_relevant = np.array([len(grades) for grades in positive.values()])
    return Hits(queries, ranks, num_relevant), grades
