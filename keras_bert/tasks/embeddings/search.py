"""Exact search for the most similar vectors."""

import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.tasks.embeddings.compression import checked_block
from keras_bert.tasks.embeddings.compression import decompress
from keras_bert.tasks.embeddings.compression import float_rows
from keras_bert.tasks.embeddings.scores import as_array

SIMILARITIES = ("cosine", "dot")
_QUERIES_AT_ONCE = 256
_ROWS_AT_ONCE = 16384


def search(
    query_vectors: np.ndarray,
    corpus_vectors: np.ndarray,
    top_k: int = 10,
    similarity: str = "cosine",
) -> tuple[np.ndarray, np.ndarray]:
    """Find the most similar corpus vectors for each query vector.

    The search is exact. Scores are computed block by block, so the memory use
    does not depend on the size of the corpus, which may be a file opened with
    `numpy.load(path, mmap_mode="r")`. Vectors with equal scores are sorted by
    index.

    Args:
        query_vectors: float array `(num_queries, dim)`, such as the result of
            `TextEmbedder.embed_query`, or a sparse array of `SparseEmbedder`.
        corpus_vectors: float array `(num_vectors, dim)`, such as the result of
            `TextEmbedder.embed_document`, or a sparse array if `query_vectors`
            is one; or int8 or uint8 array returned by
            `compress_vectors` with `dimensions=dim`, which is compared as the
            vectors of length 1 that it stands for.
        top_k: maximum number of results per query.
        similarity: "cosine", which `TextEmbedder.fit` trains, or "dot" for
            models that were trained with dot products, such as
            `SparseEmbedder`. They are equal for an embedder with
            `normalize=True`.

    Returns:
        The indices of the most similar vectors, int64 `(num_queries, k)`, and
        their scores, float32 `(num_queries, k)`, best first; k is `top_k`, or
        `num_vectors` if that is smaller.

    Raises:
        ValueError: an array has the wrong shape or type, or contains NaN.

    Example:

    >>> indices, scores = keras_bert.tasks.search(
    ...     np.eye(2), np.array([[0.6, 0.8], [1.0, 0.0]]), top_k=1
    ... )
    >>> indices.tolist(), scores.tolist()
    ([[1], [0]], [[1.0], [0.800000011920929]])
    """
    checks.at_least(1, top_k=top_k)
    checks.one_of(SIMILARITIES, similarity=similarity)
    queries = float_rows(query_vectors, "query_vectors")
    corpus = float_rows(corpus_vectors, "corpus_vectors", ("int8", "uint8"))
    if hasattr(query_vectors, "tocsr") != hasattr(corpus_vectors, "tocsr"):
        raise ValueError(
            "`query_vectors` and `corpus_vectors` must both be arrays, or both "
            f"be sparse arrays. Received: {type(query_vectors).__name__} and "
            f"{type(corpus_vectors).__name__}."
        )
    dim = decompress(corpus[:0]).shape[1]
    if queries.shape[1] != dim or not corpus.shape[0]:
        raise ValueError(
            "`corpus_vectors` must have at least one row and as many columns "
            f"as `query_vectors`. Received: shapes {corpus.shape} and "
            f"{queries.shape}."
        )
    is_cosine = similarity == "cosine"
    queries = checked_block(queries, 0, "query_vectors", is_cosine)
    starts = range(0, queries.shape[0], _QUERIES_AT_ONCE)
    query_blocks = [
        queries[start : start + _QUERIES_AT_ONCE] for start in starts
    ]
    best: list = [None] * len(query_blocks)
    for start in range(0, corpus.shape[0], _ROWS_AT_ONCE):
        rows = decompress(corpus[start : start + _ROWS_AT_ONCE])
        rows = checked_block(rows, start, "corpus_vectors", is_cosine)
        columns = _columns(rows)
        for number, block in enumerate(query_blocks):
            scores = as_array(block @ columns)
            best[number] = _best(best[number], scores, start, top_k)
    if not best:
        shape = 0, min(top_k, corpus.shape[0])
        return np.empty(shape, np.int64), np.empty(shape, np.float32)
    indices, scores = zip(*best, strict=True)
    return np.concatenate(indices), np.concatenate(scores)


def _columns(rows):
    """Return transposed vectors; a sparse array stays in CSR format."""
    return rows.T if isinstance(rows, np.ndarray) else rows.T.tocsr()


def similarity_of(embedder):
    """Return the similarity of an embedder, "cosine" if it has none."""
    return getattr(embedder, "similarity", SIMILARITIES[0])


def _best(earlier, scores, start, top_k):
    """Merge the results of earlier blocks with the scores of a block.

    `_top` puts the lower index first if values are equal, and the results of
    earlier blocks have the lower indices.
    """
    values, indices = _top(scores, top_k)
    indices = indices.astype(np.int64) + start
    if earlier is None:
        return indices, values
    values, columns = _top(np.concatenate([earlier[1], values], axis=1), top_k)
    indices = np.concatenate([earlier[0], indices], axis=1)
    return np.take_along_axis(indices, columns, axis=1), values


def _top(values, k):
    """Return the k largest values of each row and their indices as arrays.

    Equal values are sorted by index, which `ops.top_k` of PyTorch does not do.
    """
    k = min(k, values.shape[1])
    least = ops.convert_to_numpy(ops.top_k(values, k)[0])[:, -1:]
    is_top = values >= least  # At least k in each row.
    if np.count_nonzero(is_top) > k * len(values):
        # Keep only the first of the values that are equal to the least.
        is_least = values == least
        num_least = k - np.sum(is_top & ~is_least, axis=1, keepdims=True)
        number = np.cumsum(is_least, axis=1, dtype=np.int32)
        is_top &= ~is_least | (number <= num_least)
    cells = np.flatnonzero(is_top)
    rows, columns = np.divmod(cells, values.shape[1])
    order = np.lexsort((columns, -values[rows, columns], rows))
    starts = np.searchsorted(rows, np.arange(len(values)))
    indices = columns[order[starts[:, None] + np.arange(k)]]
    return np.take_along_axis(values, indices, axis=1), indices
