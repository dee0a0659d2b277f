"""Exact search for the most similar vectors."""

import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.tasks.embeddings.compression import checked_block
from keras_bert.tasks.embeddings.compression import decompress
from keras_bert.tasks.embeddings.compression import float_rows
from keras_bert.tasks.embeddings.multi_vectors import CORPUS_VECTORS_AT_ONCE
from keras_bert.tasks.embeddings.multi_vectors import QUERY_VECTORS_AT_ONCE
from keras_bert.tasks.embeddings.multi_vectors import MultiVectors
from keras_bert.tasks.embeddings.scores import as_array

SIMILARITIES = ("cosine", "dot")
_QUERIES_AT_ONCE = 256
_ROWS_AT_ONCE = 16384


def search(
    query_vectors: np.ndarray,
    corpus_vectors: np.ndarray,
    top_k: int = 10,
    similarity: str = "cosine",
    candidates: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the most similar corpus vectors for each query vector.

    The search is exact. Scores are computed block by block, so the memory use
    does not depend on the size of the corpus, which may be a file opened with
    `numpy.load(path, mmap_mode="r")`. Vectors with equal scores are sorted by
    index.

    Args:
        query_vectors: float array `(num_queries, dim)`, such as the result of
            `TextEmbedder.embed_query`, a sparse array of `SparseEmbedder` or
            `MultiVectors` of `LateInteractionEmbedder`.
        corpus_vectors: float array `(num_vectors, dim)`, such as the result of
            `TextEmbedder.embed_document`; or a sparse array or `MultiVectors`,
            like `query_vectors`; or int8 or uint8 array returned by
            `compress_vectors` with `dimensions=dim`, which is compared as the
            vectors of length 1 that it stands for.
        top_k: maximum number of results per query.
        similarity: "cosine", which `TextEmbedder.fit` trains, or "dot" for
            models that were trained with dot products, such as
            `SparseEmbedder`. They are equal for an embedder with
            `normalize=True`. The similarity of `MultiVectors` is MaxSim of the
            similarities of their vectors, see `max_sim`.
        candidates: int `(num_queries, num_candidates)`, indices of the corpus
            vectors to compare with each query, such as the result of a search
            for other vectors, to rank it again. None for all.

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
    is_cosine = similarity == "cosine"
    queries, corpus = _checked(query_vectors, corpus_vectors)
    if candidates is not None:
        return _search_among(queries, corpus, candidates, top_k, is_cosine)
    query_blocks = [
        block for _, block in _blocks(queries, "query_vectors", is_cosine)
    ]
    best: list = [None] * len(query_blocks)
    for start, rows in _blocks(corpus, "corpus_vectors", is_cosine):
        columns = _columns(rows)
        for number, block in enumerate(query_blocks):
            scores = _scores(block, columns)
            best[number] = _best(best[number], scores, start, top_k)
    if not best:
        shape = 0, min(top_k, _size(corpus))
        return np.empty(shape, np.int64), np.empty(shape, np.float32)
    indices, scores = zip(*best, strict=True)
    return np.concatenate(indices), np.concatenate(scores)


def _checked(queries, corpus):
    """Check and return the arguments of `search`."""
    kinds = [
        (isinstance(x, MultiVectors), hasattr(x, "tocsr"))
        for x in (queries, corpus)
    ]
    if kinds[0] != kinds[1]:
        raise ValueError(
            "`query_vectors` and `corpus_vectors` must both be arrays, or both "
            "be sparse arrays, or both be `MultiVectors`. Received: "
            f"{type(queries).__name__} and {type(corpus).__name__}."
        )
    if not isinstance(queries, MultiVectors):
        queries = float_rows(queries, "query_vectors")
        corpus = float_rows(corpus, "corpus_vectors", ("int8", "uint8"))
    dims = [decompress(_rows(x)[:0]).shape[1] for x in (queries, corpus)]
    if dims[0] != dims[1] or not _size(corpus):
        shapes = _rows(corpus).shape, _rows(queries).shape
        raise ValueError(
            "`corpus_vectors` must have at least one row and as many columns "
            f"as `query_vectors`. Received: shapes {shapes[0]} and {shapes[1]}."
        )
    return queries, corpus


def _rows(vectors):
    return vectors.values if isinstance(vectors, MultiVectors) else vectors


def _size(vectors):
    """Return the number of texts; sparse arrays have no length."""
    is_multi = isinstance(vectors, MultiVectors)
    return len(vectors) if is_multi else vectors.shape[0]


def _blocks(vectors, name, is_cosine):
    """Yield the index of the first text and the vectors of each block."""
    is_query = name == "query_vectors"
    if isinstance(vectors, MultiVectors):
        size = QUERY_VECTORS_AT_ONCE if is_query else CORPUS_VECTORS_AT_ONCE
        yield from vectors.blocks(size, name, is_cosine)
        return
    size = _QUERIES_AT_ONCE if is_query else _ROWS_AT_ONCE
    for start in range(0, vectors.shape[0], size):
        rows = decompress(vectors[start : start + size])
        yield start, checked_block(rows, start, name, is_cosine)


def _columns(rows):
    """Return vectors for `_scores`: transposed, a sparse array as CSR."""
    if isinstance(rows, MultiVectors):
        return rows
    return rows.T if isinstance(rows, np.ndarray) else rows.T.tocsr()


def _scores(queries, columns):
    if isinstance(queries, MultiVectors):
        return queries.max_sim(columns)
    return as_array(queries @ columns)


def _search_among(queries, corpus, candidates, top_k, is_cosine):
    """Find the most similar of some vectors for each query vector."""
    count, candidates = _size(queries), np.asarray(candidates)
    if not count:
        return np.empty((0, 0), np.int64), np.empty((0, 0), np.float32)
    is_valid = candidates.ndim == 2 and candidates.dtype.kind in "iu"
    if not is_valid or len(candidates) != count or not candidates.size:
        raise ValueError(
            "`candidates` must be an int array with a row for each of the "
            f"{count} queries. Received: {candidates.dtype}, shape "
            f"{candidates.shape}."
        )
    checks.between(0, _size(corpus) - 1, candidates=int(candidates.min()))
    checks.between(0, _size(corpus) - 1, candidates=int(candidates.max()))
    found = []
    for index, row in enumerate(candidates):
        one = queries[[index]]
        ((_, query),) = _blocks(one, "query_vectors", is_cosine)
        parts = [
            _scores(query, _columns(texts))
            for _, texts in _blocks(corpus[row], "corpus_vectors", is_cosine)
        ]
        found.append(_top(np.concatenate(parts, axis=1), top_k))
    scores, places = (np.concatenate(x) for x in zip(*found, strict=True))
    indices = np.take_along_axis(candidates, places, axis=1)
    return indices.astype(np.int64), scores


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
