"""The vectors of a text's tokens become one."""

import collections

from keras import ops

from keras_bert.models.task_model import mean_of_tokens

_LARGE = 1e30  # In float32, and so are its products with weights.


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
    "mean": Pooling(1, mean_of_tokens),
    "cls": Pooling(1, _first),
    "max": Pooling(1, _max),
    "last4": Pooling(4, mean_of_tokens),
}
