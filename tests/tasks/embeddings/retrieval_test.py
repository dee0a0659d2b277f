import json
import pathlib

import numpy as np
import pytest

from keras_bert.tasks import RetrievalData
from keras_bert.tasks import evaluate_retrieval
from keras_bert.tasks import read_beir
from keras_bert.tasks import retrieval_metrics

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden/retrieval.npz"
# Ranks of the relevant results in the test files of trec_eval, by query, and
# the numbers of relevant documents.
_TREC_RANKS = {
    "301": "6 7 16 18 20 26 30 32 37 39 43 49 54 56 57 59 63 67 70 83 92 96 "
    "100",
    "302": "1 2 4 5 6 8 9 11 12 13 14 15 16 17 18 19 21 22 24 27 28 30 31 34 "
    "36 37 39 42 43 44 47 48 49 50 51 53 56 58 72 79 82 84",
    "303": "19 37 41 43 44 65 67 89 99",
}
_TREC_RELEVANT = {"301": 474, "302": 77, "303": 10}


class Embedder:
    """Embedder of texts "q0" and "d0" with the golden vectors."""

    def __init__(self, arrays):
        self.vectors = {"q": arrays["queries"], "d": arrays["documents"]}

    def embed_query(self, texts):
        return np.array([self.vectors[x[0]][int(x[1:])] for x in texts])

    embed_document = embed_query


@pytest.fixture(scope="module")
def golden():
    with np.load(_GOLDEN) as arrays:
        return dict(arrays)


def test_metrics_are_those_of_sentence_transformers(golden):
    relevance = {
        f"q{query}": {f"d{name}": int(x) for name, x in enumerate(row)}
        for query, row in enumerate(golden["relevant"])
    }
    texts = [{x: x for x in row} for row in (relevance, relevance["q0"])]
    metrics = evaluate_retrieval(
        Embedder(golden), RetrievalData(*texts, relevance)
    )
    expected = {name: float(golden[name]) for name in metrics}
    assert metrics == pytest.approx(expected, abs=1e-9)


def test_metrics_are_those_of_trec_eval():
    rankings, relevance = {}, {}
    for query, ranks in _TREC_RANKS.items():
        ranks, count = [*map(int, ranks.split())], _TREC_RELEVANT[query]
        rankings[query] = [f"d{n}" for n in range(1, 501)]
        unseen = [f"x{n}" for n in range(count - len(ranks))]
        relevance[query] = dict.fromkeys([f"d{n}" for n in ranks] + unseen, 1)
    metrics = retrieval_metrics(rankings, relevance)
    expected = {  # test/out.test.a of trec_eval 10.0
        "recall_at_5": 0.0173,
        "recall_at_10": 0.0317,
        "recall_at_100": 0.4980,
        "map_at_100": 0.1622,
        "ndcg_at_10": 0.3016,
    }
    found = {name: round(metrics[name], 4) for name in expected}
    assert found == expected


def test_grades_are_gains_as_in_trec_eval():
    """Query 301 of `qrels.rel_level`, see out.test.aql of trec_eval."""
    ranking = [f"d{n}" for n in range(1, 11)]
    unseen = {f"x{n}": 4 if n < 6 else 2 for n in range(10)}
    grades = {"d1": 0, "d5": -1, "d6": 1, "d7": 1, **unseen}
    metrics = retrieval_metrics({"301": ranking}, {"301": grades})
    assert round(metrics["ndcg_at_10"], 4) == 0.0439


def test_equal_scores_are_ranked_by_descending_id():
    arrays = {"queries": np.ones((1, 2)), "documents": np.ones((12, 2))}
    texts = {f"id{n}": f"d{n}" for n in range(12)}
    for name, rank in (("id9", 1), ("id2", 8), ("id11", 9), ("id1", 11)):
        data = RetrievalData({"q": "q0"}, texts, {"q": {name: 1}})
        found = evaluate_retrieval(Embedder(arrays), data)["mrr_at_10"]
        assert found == (1 / rank if rank <= 10 else 0)


@pytest.fixture
def write_beir(tmp_path):
    """Return a function that writes a directory, with changed files."""

    def write(**changed):
        lines = {
            "corpus": [
                {"_id": "d1", "title": "Cards", "text": "Block a card"},
                {"_id": "d2", "text": "Pay", "metadata": {"a": 1}},
            ],
            "queries": [{"_id": "1", "text": "lost"}, {"_id": 2, "text": "x"}],
        }
        texts = {k: "\n".join(map(json.dumps, x)) for k, x in lines.items()}
        texts["test"] = "1\td1\t2\n1\td2\t0\n"
        for name, text in (texts | changed).items():
            path = tmp_path / f"{name}.jsonl"
            if name == "test":
                path = tmp_path / "qrels/test.tsv"
                path.parent.mkdir()
                text = f"query-id\tcorpus-id\tscore\n{text}"
            path.write_text(text)
        return tmp_path

    return write


def test_files_of_beir_are_read(write_beir):
    data = read_beir(write_beir())
    assert data.queries == {"1": "lost", "2": "x"}
    assert data.corpus == {"d1": "Cards Block a card", "d2": "Pay"}
    assert data.relevance == {"1": {"d1": 2, "d2": 0}}
    assert repr(data) == (
        "RetrievalData(num_queries=2, num_documents=2, num_judged_queries=1)"
    )


def test_grades_of_other_writers_are_read(write_beir):
    rows = "1\td1\t2.0\n", "1\td1\t2\n", "1\td9\t0\n", "9\td1\t-1\n"
    data = read_beir(write_beir(test="".join(rows)))
    assert data.relevance == {"1": {"d1": 2, "d9": 0}, "9": {"d1": -1}}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"corpus": ""}, "corpus.jsonl must contain rows"),
        ({"corpus": '{"_id": "d1"}'}, "corpus.jsonl, line 1,.*'text'"),
        ({"queries": '{"_id":"1","text":""}\n' * 2}, "queries.*line 2.*'1'"),
        ({"test": "1\td1\t1\n1\td9\t1\n"}, "test.tsv, line 3,.*corpus.*'d9'"),
        ({"test": "7\td1\t1\n"}, "test.tsv, line 2,.*queries.jsonl.*'7'"),
        ({"test": "1\td1\t1\n1\td1\t2\n"}, "line 3,.*once.*'1' and 'd1'"),
        ({"test": "1\td1\t1.5\n"}, "line 2,.*integer grade.*'1.5'"),
        ({"test": "1\td1\tyes\n"}, "line 2,.*integer grade.*'yes'"),
        ({"test": "1\td1\t0\n"}, "grade above 0"),
    ],
)
def test_bad_files_are_named(write_beir, changed, message):
    with pytest.raises(ValueError, match=message):
        read_beir(write_beir(**changed))


def test_pairs_are_queries_with_relevant_documents():
    pairs = [("q", "a"), ("p", "b"), ("q", "b")]
    data = RetrievalData.from_pairs(pairs, ["c", "a"])
    assert data.queries == {"q": "q", "p": "p"}
    assert data.corpus == {x: x for x in "cab"}
    assert data.relevance == {"q": {"a": 1, "b": 1}, "p": {"b": 1}}


def test_the_similarity_is_the_embedders():
    arrays = {"queries": np.eye(2)[:1], "documents": np.array([[1, 0], [4, 3]])}
    embedder = Embedder({k: x.astype(float) for k, x in arrays.items()})
    texts = {"a": "d0", "b": "d1"}
    data = RetrievalData({"q": "q0"}, texts, {"q": {"b": 1}})
    assert evaluate_retrieval(embedder, data)["mrr_at_10"] == 0.5
    embedder.similarity = "dot"
    assert evaluate_retrieval(embedder, data)["mrr_at_10"] == 1
    assert evaluate_retrieval(embedder, data, "cosine")["mrr_at_10"] == 0.5
