"""Write metrics and hard negatives of sentence-transformers.

`retrieval.npz` comes from sentence-transformers 6.2 on Python 3.11:

    pip install sentence-transformers==6.2.0 datasets
    python tests/golden/make_retrieval_golden.py

The texts are "q0" and so on for queries and "d0" and so on for documents. Their
vectors are random, so that no two scores are equal.
"""

import pathlib

import datasets
import numpy as np
import torch
from sentence_transformers.sentence_transformer.evaluation import (
    InformationRetrievalEvaluator,
)
from sentence_transformers.util import mine_hard_negatives

_NUM_QUERIES, _NUM_DOCUMENTS, _DIM = 6, 150, 4
_METRICS = (
    *("recall_at_1", "recall_at_5", "recall_at_10", "recall_at_100"),
    *("map_at_100", "mrr_at_10", "ndcg_at_10"),
)


class _Embedder:
    """Stand-in for a `SentenceTransformer` with given vectors."""

    device = "cpu"
    similarity_fn_name = "cosine"
    model_card_data = None

    def __init__(self, queries, documents):
        self.vectors = {"q": queries, "d": documents}

    def encode_query(self, texts, convert_to_numpy=False, **_):
        vectors = [self.vectors[text[0]][int(text[1:])] for text in texts]
        vectors = torch.nn.functional.normalize(torch.tensor(np.array(vectors)))
        return vectors.numpy() if convert_to_numpy else vectors

    encode_document = encode_query

    def similarity(self, first, second):
        return torch.as_tensor(first) @ torch.as_tensor(second).T

    def similarity_pairwise(self, first, second):
        return (torch.as_tensor(first) * torch.as_tensor(second)).sum(dim=1)


def _metrics(embedder, relevant):
    evaluator = InformationRetrievalEvaluator(
        {f"q{n}": f"q{n}" for n in range(_NUM_QUERIES)},
        {f"d{n}": f"d{n}" for n in range(_NUM_DOCUMENTS)},
        {
            f"q{query}": {f"d{n}" for n in np.flatnonzero(row)}
            for query, row in enumerate(relevant)
        },
        precision_recall_at_k=[1, 5, 10, 100],
        write_csv=False,
    )
    evaluator.store_metrics_in_model_card_data = lambda *args: None
    found = evaluator(embedder)
    return {x: found["cosine_" + x.replace("_at_", "@")] for x in _METRICS}


class _Ranker:
    """Stand-in for a `CrossEncoder` with given scores."""

    def __init__(self, scores):
        self.scores = scores

    def predict(self, pairs, **_):
        found = [self.scores[int(a[1:]), int(b[1:])] for a, b in pairs]
        return torch.tensor(np.array(found))


def _triplets(embedder, scores, ranks):
    """Return the triplets of each case, as numbers of texts."""
    pairs = np.argwhere(ranks < 3)
    texts = {
        "anchor": [f"q{n}" for n, _ in pairs],
        "positive": [f"d{n}" for _, n in pairs],
    }
    cases = {
        "plain": {},
        "ranges": {"range_min": 4, "range_max": 7, "num_negatives": 2},
        "margin": {"absolute_margin": 0.2},
        "relative": {"relative_margin": 0.3, "range_max": 60},
        "ranked": {"absolute_margin": 1.0, "cross_encoder": _Ranker(scores)},
    }
    found = {"pairs": pairs}
    for name, arguments in cases.items():
        rows = mine_hard_negatives(
            datasets.Dataset.from_dict(texts),
            embedder,
            corpus=[f"d{n}" for n in range(_NUM_DOCUMENTS)],
            verbose=False,
            **arguments,
        ).to_list()
        found[f"mined_{name}"] = np.array(
            [[int(text[1:]) for text in row.values()] for row in rows]
        )
    return found


def main():
    random = np.random.default_rng(0)
    queries = random.normal(size=(_NUM_QUERIES, _DIM)).astype(np.float32)
    documents = random.normal(size=(_NUM_DOCUMENTS, _DIM)).astype(np.float32)
    scores = queries @ documents.T + random.normal(size=(6, 150))
    scores = scores.astype(np.float32)
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    relevant = ranks < np.array([3, 0, 9, 1, 30, 2])[:, None]
    embedder = _Embedder(queries, documents)
    arrays = {"queries": queries, "documents": documents, "relevant": relevant}
    arrays |= {"ranker_scores": scores, **_metrics(embedder, relevant)}
    arrays |= _triplets(embedder, scores, ranks)
    path = pathlib.Path(__file__).with_name("retrieval.npz")
    np.savez(path, **arrays)


if __name__ == "__main__":
    main()
