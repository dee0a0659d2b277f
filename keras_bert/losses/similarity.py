"""Similarity functions for batches of embeddings.

A text may have several vectors. They are padded with zero vectors, and the
similarity of two such texts is MaxSim.
"""

import keras
from keras import ops

_LARGE = 1e9
_TINY = 1e-24  # Vectors with a smaller squared length count as zero.


def unit(vectors):
    """Scale vectors `(..., dim)` to length 1, except zero vectors."""
    vectors = ops.convert_to_tensor(vectors)
    squares = ops.sum(ops.square(vectors), axis=-1, keepdims=True)
    return vectors * ops.rsqrt(ops.maximum(squares, _TINY))


def pair_cosines(embeddings):
    """Return the cosines `(batch_size,)` of pairs `(batch_size, 2, dim)`."""
    vectors = unit(embeddings)
    return ops.sum(vectors[:, 0] * vectors[:, 1], axis=-1)


def anchor_dots(embeddings):
    """Return the dot products of the first vector with all others.

    Args:
        embeddings: float `(batch_size, num_texts, dim)`, or `(batch_size,
            num_texts, num_vectors, dim)` for texts with several vectors.

    Returns:
        float `(batch_size, num_texts - 1)`.
    """
    anchors, others = embeddings[:, :1], embeddings[:, 1:]
    if len(embeddings.shape) == 3:
        return ops.sum(anchors * others, axis=-1)
    dots = ops.matmul(_trimmed(anchors), ops.swapaxes(others, 2, 3))
    return _max_sim(dots, _is_vector(others)[:, :, None])


def all_dots(queries, candidates):
    """Return the dot product of each query with each candidate.

    Args:
        queries, candidates: float `(num_queries, dim)` and `(num_candidates,
            dim)`, or `(..., num_vectors, dim)` for texts with several vectors.

    Returns:
        float `(num_queries, num_candidates)`.
    """
    if len(queries.shape) == 2:
        return ops.matmul(queries, ops.transpose(candidates))
    dots = ops.matmul(  # [Q, C, W, V]
        _trimmed(queries)[:, None], ops.swapaxes(candidates, 1, 2)[None]
    )
    return _max_sim(dots, _is_vector(candidates)[:, None])


def _max_sim(dots, is_vector):
    """Sum the maxima of dot products over the vectors of each query.

    Args:
        dots: float `(..., num_query_vectors, num_vectors)`. Those of padding
            in queries are 0.
        is_vector: bool, False for padding; it broadcasts to `dots`.
    """
    is_vector = ops.cast(is_vector, dots.dtype)
    dots -= _LARGE * (1.0 - is_vector)
    # The similarity with a text without vectors is 0.
    best = ops.max(dots, axis=-1) * ops.max(is_vector, axis=-1)
    return ops.sum(best, axis=-1)


def _is_vector(vectors):
    return ops.any(ops.not_equal(vectors, 0.0), axis=-1)


def _trimmed(vectors):
    """Drop positions that are padding in all texts, except on JAX.

    Args:
        vectors: float `(..., num_vectors, dim)`.
    """
    if keras.backend.backend() == "jax":  # Shapes must be static.
        return vectors
    is_used = _is_vector(vectors)
    (columns,) = ops.nonzero(
        ops.any(is_used, axis=[*range(len(is_used.shape) - 1)])
    )
    return ops.take(vectors, columns, axis=-2)


def anchor_distances(embeddings):
    """Return the Euclidean distances from the first vector to all others.

    Args:
        embeddings: float `(batch_size, num_texts, dim)`.

    Returns:
        float `(batch_size, num_texts - 1)`. For equal vectors the gradient is
        0, not NaN.
    """
    differences = embeddings[:, :1] - embeddings[:, 1:]
    squares = ops.sum(ops.square(differences), axis=-1)
    return ops.sqrt(ops.maximum(squares, _TINY))
