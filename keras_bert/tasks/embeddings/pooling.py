"""The vectors of a text's tokens become one."""

import collections

from keras import ops

_LARGE = 3e38  # Close to the largest float32.


def _mean(states, mask):
    # Not by a slice with a new axis, which TFLite has not for unknown sizes.
    weights = ops.expand_dims(ops.cast(mask, states.dtype), -1)  # [B, S, 1]
    return ops.sum(states * weights, axis=1) / ops.sum(weights, axis=1)


def _first(states, mask):
    return states[:, 0]


def _max(states, mask):
    is_real = ops.expand_dims(ops.cast(mask, "bool"), -1)
    return ops.max(ops.where(is_real, states, -_LARGE), axis=1)


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
