"""Similarity functions for batches of embeddings."""

from keras import ops

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
        embeddings: float `(batch_size, num_texts, dim)`.

    Returns:
        float `(batch_size, num_texts - 1)`.
    """
    return ops.sum(embeddings[:, :1] * embeddings[:, 1:], axis=-1)


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
