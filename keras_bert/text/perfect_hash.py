"""Static perfect hash table for lookups with `tf.gather`.

The method is "hash and displace": bits of a key's hash select a row and a
column. Each row is shifted along the table until all its keys are in free
slots, starting with the rows with the most keys. Unlike a lookup table of
TensorFlow, the table consists of constants and needs no initialization.

References:
    [Hash, displace, and compress](https://cmph.sourceforge.net/papers/esa09.pdf)
"""

import numpy as np
import tensorflow as tf

NOT_FOUND = -1
_SEED = 19
# An odd 64-bit constant with random bits, as a signed integer.
_FACTOR = -0x61C8864680B583EB
_right_shift = tf.bitwise.right_shift


class PerfectHash:
    """Perfect hash table that maps keys to their indices.

    Args:
        keys: integer arrays `(num_keys,)`, the components of the keys. Keys
            are unique.

    Call arguments:
        keys: tensors `(any,)`, one for each component, of the same dtypes.

    Returns:
        int32 `(any,)`, the index of each key in the arrays, or `NOT_FOUND`.
    """

    def __init__(self, *keys):
        num_keys = len(keys[0])
        column_bits = max(num_keys - 1, 1).bit_length()
        self._bits = max(column_bits - 1, 1), column_bits
        self._salt, rows, columns = self._distinct(keys)
        width = 1 << column_bits
        moves = np.zeros(1 << self._bits[0], np.int32)
        slots = _displace(rows, columns, width, moves)
        self._moves = tf.constant(moves)
        self._keys = [_spread(key, slots, 2 * width, 0) for key in keys]
        numbers = np.arange(num_keys, dtype=np.int32)
        self._numbers = _spread(numbers, slots, 2 * width, NOT_FOUND)

    def __call__(self, *keys):
        rows, columns = self._row_and_column(keys, self._salt)
        slots = tf.gather(self._moves, rows) + columns
        is_same = [
            tf.equal(tf.gather(known, slots), key)
            for known, key in zip(self._keys, keys, strict=True)
        ]
        numbers = tf.gather(self._numbers, slots)
        return tf.where(tf.reduce_all(is_same, 0), numbers, NOT_FOUND)

    def _row_and_column(self, keys, salt):
        """Return each key's row and column, from the upper bits of its hash."""
        row_bits, column_bits = self._bits
        hashes = _right_shift(_mix(keys, salt), 63 - row_bits - column_bits)
        rows = _right_shift(hashes, column_bits) & ((1 << row_bits) - 1)
        columns = hashes & ((1 << column_bits) - 1)
        return tf.cast(rows, tf.int32), tf.cast(columns, tf.int32)

    def _distinct(self, keys):
        """Find a salt without collisions and the keys' rows and columns."""
        keys = [tf.constant(key) for key in keys]
        salt = 0
        while True:
            rows, columns = (
                x.numpy() for x in self._row_and_column(keys, salt)
            )
            pairs = (rows.astype(np.int64) << self._bits[1]) + columns
            if len(np.unique(pairs)) == len(pairs):
                return salt, rows, columns
            salt += 1


def _mix(keys, salt):
    """Return an int64 hash, computed modulo 2 ** 64.

    The shifts mix the upper bits into the lower bits; products do not.
    """
    mixed = tf.constant(salt, tf.int64)
    for key in keys:
        mixed = (mixed ^ tf.cast(key, tf.int64)) * _FACTOR
        mixed ^= _right_shift(mixed, 32)
    return mixed * _FACTOR


def _displace(rows, columns, width, moves):
    """Write each row's displacement to `moves` and return the keys' slots."""
    counts = np.bincount(rows, minlength=1)
    order = np.argsort(rows, kind="stable")
    firsts = np.cumsum(counts) - counts
    taken = np.zeros(2 * width, bool)
    random = np.random.default_rng(_SEED)
    for count in range(counts.max(), 0, -1):
        pending = np.flatnonzero(counts == count)
        while len(pending):
            keys = order[firsts[pending, None] + np.arange(count)]
            tried = random.integers(0, width, len(pending))
            placed = _take(columns[keys] + tried[:, None], taken)
            moves[pending[placed]] = tried[placed]
            pending = pending[~placed]
    return columns + moves[rows]


def _take(slots, taken):
    """Occupy the slots of rows whose slots are free and return their mask."""
    owners = np.full(len(taken), NOT_FOUND)
    numbers = np.arange(len(slots))[:, None]
    owners[slots] = numbers  # The last row that needs a slot gets it.
    placed = (~taken[slots] & (owners[slots] == numbers)).all(1)
    taken[slots[placed]] = True
    return placed


def _spread(values, slots, size, default):
    """Return a tensor of values by slot, with `default` in empty slots."""
    spread = np.full(size, default, values.dtype)
    spread[slots] = values
    return tf.constant(spread)
