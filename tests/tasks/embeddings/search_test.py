import numpy as np
import pytest

from keras_bert.tasks import search
from keras_bert.tasks.embeddings import search as module


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "_QUERIES_AT_ONCE", 3)
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 4)


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("top_k", [1, 6, 50])
@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_blocks_find_what_a_stable_sort_finds(
    small_blocks, similarity, top_k, dtype
):
    random = np.random.default_rng(3)
    queries = random.normal(size=(7, 5)).astype(dtype)
    corpus = random.normal(size=(6, 5)).astype(dtype)
    corpus = corpus[random.integers(6, size=18)]  # With duplicates.
    indices, scores = search(queries, corpus, top_k, similarity)
    queries, corpus = queries.astype("float64"), corpus.astype("float64")
    if similarity == "cosine":
        queries, corpus = _unit(queries), _unit(corpus)
    expected = (queries @ corpus.T).astype("float32")
    order = np.argsort(-expected, axis=1, kind="stable")[:, :top_k]
    np.testing.assert_array_equal(indices, order)
    expected = np.take_along_axis(expected, order, axis=1)
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    assert (indices.dtype, scores.dtype) == (np.int64, np.float32)


def test_no_queries_have_no_results():
    indices, scores = search(np.empty((0, 2)), np.eye(2), 5)
    assert indices.shape == scores.shape == (0, 2)


def test_the_row_with_nan_is_named(small_blocks):
    corpus = np.ones((9, 2))
    corpus[6, 1] = np.nan
    with pytest.raises(ValueError, match="corpus_vectors.* row 6"):
        search(np.eye(2), corpus)
