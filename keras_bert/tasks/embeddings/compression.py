"""Truncation and quantization of embeddings."""

import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.tasks.embeddings.model import unit
from keras_bert.typing import Tensor

PRECISIONS = ("float32", "int8", "binary")
_LARGEST = 127
_BITS = 8  # Bits per byte.
_LARGEST_SQUARE = 1e30  # Dot products of such vectors fit in float32.
_TINY = 1e-24  # Vectors with a smaller squared length count as zero.


def compress_vectors(
    vectors: np.ndarray, dimensions: int | None = None, precision: str = "int8"
) -> np.ndarray:
    """Truncate and quantize embeddings.

    The first `dimensions` values of each vector are scaled to length 1. "int8"
    multiplies them by 127 and rounds them to integers. "binary" stores their
    signs (1 if positive) as bytes in the bit order of `numpy.packbits`.
    Models exported by `export_saved_model` of a `TextEmbedder` or a
    `LateInteractionEmbedder` with the same arguments return the same values,
    and `search` accepts them as `corpus_vectors`.

    Args:
        vectors: float array `(num_vectors, dim)`, or `MultiVectors`.
        dimensions: number of values to keep, a multiple of 8 for "binary".
            Defaults to all values.
        precision: "float32", "int8" or "binary".

    Returns:
        A float32 or int8 array `(num_vectors, dimensions)`, or a uint8 array
        `(num_vectors, dimensions / 8)` for "binary". Or `MultiVectors` of such
        an array.

    Raises:
        ValueError: an argument is out of range or of the wrong type, or a
            value is not finite.

    Example:

    >>> keras_bert.tasks.compress_vectors(np.array([[3.0, -4.0]]))
    array([[  76, -102]], dtype=int8)
    """
    if hasattr(vectors, "lengths"):  # `MultiVectors`.
        values = compress_vectors(vectors.values, dimensions, precision)
        return type(vectors)(values, vectors.lengths)
    if hasattr(vectors, "tocsr"):
        raise ValueError(
            "`vectors` must be an array. Received: a sparse array. Limit its "
            "size by `max_active_dims` of `SparseEmbedder`."
        )
    vectors = float_rows(vectors, "vectors")
    check_compression(vectors.shape[1], dimensions, precision)
    rows = checked_block(vectors, 0, "vectors", is_cosine=False)
    return ops.convert_to_numpy(compressed(rows, dimensions, precision))


def check_compression(dim, dimensions, precision):
    """Raise ValueError if vectors of size `dim` cannot be compressed."""
    checks.one_of(PRECISIONS, precision=precision)
    if dimensions is not None:
        checks.between(1, dim, dimensions=dimensions)
    size = dimensions or dim
    if precision == "binary" and size % _BITS:
        raise ValueError(
            f"`dimensions` must be a multiple of {_BITS} for binary vectors. "
            f"Received: dimensions={size}."
        )


def compressed(
    vectors: Tensor, dimensions: int | None, precision: str
) -> Tensor:
    """Compute `compress_vectors` with Keras ops, without checks.

    Args:
        vectors: float `(..., dim)`.
        dimensions, precision: see `compress_vectors`.
    """
    vectors = unit(vectors[..., :dimensions])
    if precision == "float32":
        return vectors
    if precision == "int8":
        # Round by a cast, which truncates towards 0, because rounding ops were
        # not tested with TensorFlow Serving 2.12.
        shifted = ops.cast(_LARGEST * vectors + (_LARGEST + 1.5), "int32")
        return ops.cast(shifted - (_LARGEST + 1), "int8")
    bits = ops.cast(ops.cast(vectors > 0, "int32"), "float32")
    bits = ops.reshape(
        bits, (*ops.shape(bits)[:-1], vectors.shape[-1] // _BITS, _BITS)
    )
    values = ops.convert_to_tensor(2.0 ** np.arange(_BITS)[::-1], "float32")
    return ops.cast(ops.cast(ops.sum(bits * values, axis=-1), "int32"), "uint8")


def decompress(rows):
    """Return the vectors of length 1 of compressed rows, or the rows."""
    if rows.dtype == np.int8:
        return rows / np.float32(_LARGEST)
    if rows.dtype == np.uint8:
        signs = 2.0 * np.unpackbits(rows, axis=1) - 1.0
        return signs / np.sqrt(max(signs.shape[1], 1))
    return rows


def float_rows(vectors, name, others=()):
    """Check that vectors form a two-dimensional float array and return it.

    Args:
        vectors: array or sparse array `(num_vectors, dim)` of floats, or with
            a dtype in `others`.
        name: str, argument name to show in error messages.
        others: tuple of str, names of other accepted dtypes.

    Raises:
        ValueError: the array has the wrong shape or dtype.
    """
    if hasattr(vectors, "tocsr"):  # A sparse array of SciPy.
        vectors, others = vectors.tocsr(), ()
    else:
        vectors = np.asanyarray(vectors)
    is_known = vectors.dtype.kind == "f" or vectors.dtype.name in others
    if vectors.ndim != 2 or not is_known:
        raise ValueError(
            f"`{name}` must be a 2D float array with a row for each text, as "
            "an embedder returns it for a list. Received: "
            f"{vectors.dtype}, shape {vectors.shape}."
        )
    return vectors


def checked_block(rows, start, name, is_cosine):
    """Check rows and return them as float32, normalized if `is_cosine`."""
    is_sparse = not isinstance(rows, np.ndarray)
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32)
    if is_sparse:
        squares = np.ravel(rows.multiply(rows).sum(axis=1))
    else:
        squares = np.einsum("nd,nd->n", rows, rows)
    for index in np.flatnonzero(~(squares <= _LARGEST_SQUARE))[:1]:
        raise ValueError(
            f"`{name}` must be finite vectors with a norm of at most "
            f"{_LARGEST_SQUARE**0.5:g}. Received: the norm "
            f"{squares[index] ** 0.5:g} in row {start + index}."
        )
    if not is_cosine:
        return rows
    lengths = np.sqrt(np.maximum(squares, _TINY))[:, None]
    if is_sparse:
        return rows.multiply(1 / lengths).tocsr()
    rows /= lengths
    return rows
