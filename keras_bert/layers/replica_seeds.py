"""Random numbers that differ between the replicas of one model."""

import sys

import keras
from keras import ops

# Seeds that users choose are small and near each other.
_STRIDE = 1_000_003


class ReplicaSeedGenerator(keras.random.SeedGenerator):
    """`keras.random.SeedGenerator` that gives each replica other seeds.

    The replicas of a `tf.distribute` strategy share the state of their
    generators, so with Keras's own all of them drop the same places of their
    examples. Here the state stays shared and is saved as that of one device;
    a seed is moved by the number of the replica that asks for it.
    """

    def next(self, ordered=True):
        """The next seed: that of Keras, moved by the number of the replica."""
        seed = super().next(ordered)
        step = ops.cast(_replica_number(), seed.dtype) * _STRIDE
        return seed + ops.stack([step, ops.zeros_like(step)])


def _replica_number():
    # Layers do without TensorFlow; where nobody imported it there is no
    # strategy.
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None:
        return 0
    context = tensorflow.distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return 0
    return context.replica_id_in_sync_group
