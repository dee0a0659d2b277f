"""NumPy versions of the TensorFlow functions that preprocessors use.

A tokenizer has the attribute `_arrays`: the module `tensorflow`, or this module
for tokenizers that run without TensorFlow. Preprocessors are written once, with
functions that both modules contain. Integers are int32.
"""

from __future__ import annotations

import collections.abc
import functools
import typing

import numpy as np

from keras_bert.typing import Texts

if typing.TYPE_CHECKING:
    import tensorflow as tf
    from numpy.typing import ArrayLike

int32, string, newaxis = np.int32, object, None
logical_and, ones_like, zeros_like = np.logical_and, np.ones_like, np.zeros_like
reduce_sum, size, stack = np.sum, np.size, np.stack
maximum = functools.partial(np.maximum, dtype=np.int32)
minimum = functools.partial(np.minimum, dtype=np.int32)


class Ragged:
    """Rows of different lengths, with the interface of a `tf.RaggedTensor`.

    Args:
        flat_values: the concatenated rows.
        lengths: the number of values in each row.
    """

    def __init__(self, flat_values: np.ndarray, lengths: np.ndarray) -> None:
        self.flat_values, self._lengths = flat_values, lengths

    def row_lengths(self) -> np.ndarray:
        """Return the number of values in each row."""
        return self._lengths

    def row_starts(self) -> np.ndarray:
        """Return the index of the first value of each row."""
        return np.cumsum(self._lengths) - self._lengths

    def with_flat_values(self, flat_values: np.ndarray) -> Ragged:
        """Return rows of the same lengths with different values."""
        return Ragged(flat_values, self._lengths)


def as_ragged(
    rows: list[np.ndarray] | Ragged | tf.RaggedTensor,
) -> Ragged | tf.RaggedTensor:
    """Convert a list of arrays to `Ragged`; return ragged rows unchanged."""
    if not isinstance(rows, list):
        return rows
    lengths = np.array([*map(len, rows)], np.int32)
    return Ragged(np.concatenate([np.zeros(0, np.int32), *rows]), lengths)


def cast(values: ArrayLike, dtype: type) -> np.ndarray:
    """Convert values to an array of a dtype."""
    return np.asarray(values, dtype)


def concat(
    values: collections.abc.Iterable[ArrayLike], axis: int
) -> np.ndarray:
    """Concatenate arrays of integers along an axis."""
    return np.concatenate([np.asarray(x, np.int32) for x in values], axis)


def convert_to_tensor(texts: Texts, dtype: type) -> np.ndarray:
    """Convert texts to an array of a dtype."""
    return np.array(texts, dtype)


def gather(values: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return the values at indices."""
    return np.take(values, indices, 0)


def range(limit: int) -> np.ndarray:  # noqa: A001
    """Return the integers from 0 to a limit, exclusive."""
    return np.arange(limit, dtype=np.int32)


def sequence_mask(lengths: np.ndarray) -> np.ndarray:
    """Return a mask of rows padded to the longest row, True at values."""
    return np.arange(np.max(lengths, initial=0)) < lengths[:, None]


def where(condition: np.ndarray, *values: ArrayLike) -> np.ndarray:
    """Select values, or return the indices of True values."""
    if not values:
        return np.argwhere(condition)
    return np.where(condition, *values).astype(np.int32)
