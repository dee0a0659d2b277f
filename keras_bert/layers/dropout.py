"""Dropout that uses each random number for two values."""

import sys
import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor

# A float32 from `keras.random.uniform` has 23 random bits. The upper 11 bits
# decide whether to drop one value, the lower 12 bits another.
_UPPER = 2048.0
# The stride is large, because user seeds are small and close to each other.
_STRIDE = 1_000_003


@keras.saving.register_keras_serializable("keras_bert")
class Dropout(Layer):
    """Dropout like `keras.layers.Dropout`, with half as many random numbers.

    Generating random numbers takes most of the time of dropout, so each number
    is used for two values. The rate is exact to 1 / 4096.

    Args:
        rate: fraction of the values to drop.
        seed: random seed. If None, a random seed is used.

    Call arguments:
        inputs: float tensor `(..., rows, size)`.
        training: bool, whether to apply dropout.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Example:

    >>> layer = keras_bert.layers.Dropout(0.1)
    >>> layer(keras.ops.ones((2, 3)), training=True).shape
    TensorShape([2, 3])

    References:
        [Dropout](https://jmlr.org/papers/v15/srivastava14a.html), section 4
    """

    def __init__(
        self, rate: float, seed: int | None = None, **kwargs: typing.Any
    ):
        super().__init__(**kwargs)
        checks.share(rate=rate)
        self.rate = rate
        self.supports_masking = True  # Pass Keras masks on.
        if rate > 0:
            self.seed_generator = ReplicaSeedGenerator(seed)

    def build(self, inputs_shape: Shape) -> None:
        if len(inputs_shape) < 2:
            raise ValueError(
                "`inputs` must have at least two axes. "
                f"Received: shape {tuple(inputs_shape)}."
            )

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        if not training or self.rate == 0:
            return inputs
        *rest, rows, size = ops.shape(inputs)
        draws = keras.random.uniform(
            (*rest, (rows + 1) // 2, size), seed=self.seed_generator
        )
        upper = ops.floor(draws * _UPPER)
        lower = draws * _UPPER - upper
        is_kept = ops.concatenate(
            [upper >= round(self.rate * _UPPER), lower >= self.rate], axis=-2
        )
        kept = ops.cast(is_kept[..., :rows, :], inputs.dtype)
        return inputs * (kept * (1.0 / (1.0 - self.rate)))


class ReplicaSeedGenerator(keras.random.SeedGenerator):
    """`keras.random.SeedGenerator` with different seeds on each replica.

    The replicas of a `tf.distribute` strategy share the state of a generator,
    so with Keras's generator all replicas drop the same positions. This class
    adds a different offset to the seed on each replica. The state is still
    shared, and saved in the same format as without a strategy.
    """

    def next(self, ordered: bool = True) -> Tensor:
        seed = super().next(ordered)
        step = ops.cast(_replica_number(), seed.dtype) * _STRIDE
        return seed + ops.stack([step, ops.zeros_like(step)])


def _replica_number():
    # Layers do not import TensorFlow. If it is not imported, no strategy is
    # active.
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None:
        return 0
    context = tensorflow.distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return 0
    return context.replica_id_in_sync_group
