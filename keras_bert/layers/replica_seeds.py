"""Random numbers that differ between the replicas of one model."""

import contextlib
import contextvars

import keras
from keras import ops

# Seeds that users choose are small and near each other.
_STRIDE = 1_000_003

_REPLICA = contextvars.ContextVar("replica", default=None)


@contextlib.contextmanager
def replica_seeds(replica):
    """Within it, dropout draws the numbers of one replica.

    The replicas of a model share the state of its generators, so without it
    all of them drop the same places of their examples. The state stays shared
    and is saved as that of one device.

    Args:
        replica: int or int scalar tensor, the number of the replica; None
            draws what a single device does.
    """
    token = _REPLICA.set(replica)
    try:
        yield
    finally:
        _REPLICA.reset(token)


class ReplicaSeedGenerator(keras.random.SeedGenerator):
    """`keras.random.SeedGenerator` that heeds `replica_seeds`."""

    def next(self, ordered=True):
        """The next seed: that of Keras, moved by the number of the replica."""
        seed = super().next(ordered)
        replica = _REPLICA.get()
        if replica is None:
            return seed
        moved = ops.cast(replica, seed.dtype) * _STRIDE
        return seed + ops.stack([moved, ops.zeros_like(moved)])
