"""NumPy versions of the TensorFlow functions that preprocessors use.

A tokenizer has the attribute `_arrays`: the module `tensorflow`, or this module
for tokenizers that run without TensorFlow. Preprocessors are written once, with
functions that both modules contain. Integers are int32.
"""

import functools

import numpy as np

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

    def __init__(self, flat_values, lengths):
        self.flat_values, self._lengths = flat_values, lengths

    def row_lengths(self):
        """Return the number of values in each row."""
        return self._lengths

    def row_starts(self):
        """Return the index of the first value of each row."""
        return np.cumsum(self._lengths) - self._lengths

    def with_flat_values(self, flat_values):
        """Return rows of the same lengths with different values."""
        return Ragged(flat_values, self._lengths)


def as_ragged(rows):
    """Convert a list of arrays to `Ragged`; return a RaggedTensor unchanged."""
    if not isinstance(rows, list):
        return rows
    lengths = np.array([*map(len, rows)], np.int32)
    return Ragged(np.concatenate([np.zeros(0, np.int32), *rows]), lengths)


def cast(values, dtype):
    """Convert values to an array of a dtype."""
    return np.asarray(values, dtype)


def concat(values, axis):
    """Concatenate arrays of integers along an axis."""
    return np.concatenate([np.asarray(x, np.int32) for x in values], axis)


def convert_to_tensor(texts, dtype):
    """Convert texts to an array of a dtype."""
    return np.array(texts, dtype)


def gather(values, indices):
    """Return the values at indices."""
    return np.take(values, indices, 0)


def range(limit):  # noqa: A001
    """Return the integers from 0 to a limit, exclusive."""
    return np.arange(limit, dtype=np.int32)


def sequence_mask(lengths):
    """Return a mask of rows padded to the longest row, True at values."""
    return np.arange(np.max(lengths, initial=0)) < lengths[:, None]


def where(condition, *values):
    """Select values, or return the indices of True values."""
    if not values:
        return np.argwhere(condition)
    return np.where(condition, *values).astype(np.int32)
