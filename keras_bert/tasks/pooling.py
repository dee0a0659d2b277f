"""The vectors of a text's tokens become one."""

import collections

import tensorflow as tf


def _mean(states, mask):
    weights = tf.cast(mask, states.dtype)[..., tf.newaxis]  # [B, S, 1]
    total = tf.reduce_sum(states * weights, axis=1)
    return total / tf.reduce_sum(weights, axis=1)


def _first(states, mask):
    return states[:, 0]


def _max(states, mask):
    real = tf.cast(mask, tf.bool)[..., tf.newaxis]
    return tf.reduce_max(tf.where(real, states, states.dtype.min), axis=1)


Pooling = collections.namedtuple("Pooling", ["num_layers", "pool"])
Pooling.__doc__ = """One way to make a vector of a text.

Args:
    num_layers: int, how many of the last layers are concatenated.
    pool: function of states, float32 `(batch_size, seq_length, hidden_size)`,
        and mask, int32 `(batch_size, seq_length)`, that gives float32
        `(batch_size, hidden_size)`.
"""

POOLINGS = {
    "mean": Pooling(1, _mean),
    "cls": Pooling(1, _first),
    "max": Pooling(1, _max),
    "last4": Pooling(4, _mean),
}
