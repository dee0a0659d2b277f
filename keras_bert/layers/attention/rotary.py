"""Rotary position embeddings (RoPE)."""

import typing

import keras
import numpy as np
from keras import ops

from keras_bert.messages import brief
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class Rotary:
    """Rotary position embeddings (RoPE) for queries and keys.

    Queries and keys are rotated by angles that depend on their positions, so
    that the product of a query and a key depends on their distance. Pair `i`
    consists of the values `i` and `i + size / 2` of a vector. The rotation is
    computed in float32.

    Args:
        theta: base of the rotation frequencies. Must be positive. The
            longest wavelength is about `2 * pi * theta` positions.

    Call arguments:
        vectors: float `(..., seq_length, size)`, where `size` must be even.
        positions: int32 `(seq_length,)`, or any shape that broadcasts to
            `(..., seq_length)`.

    Returns:
        float `(..., seq_length, size)`, like `vectors`.

    Example:

    >>> attention = keras_bert.layers.SelfAttention(
    ...     8, num_heads=2, rotary=keras_bert.layers.Rotary(10000.0)
    ... )
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [RoFormer](https://arxiv.org/abs/2104.09864), section 3.2
    """

    def __init__(self, theta: float = 10000.0):
        if not theta > 0:
            raise ValueError(
                f"`theta` must be above 0. Received: theta={brief(theta)}."
            )
        self.theta = theta

    def __call__(self, vectors: Tensor, positions: Tensor) -> Tensor:
        size = vectors.shape[-1]
        exponents = np.arange(0, size, 2, dtype="float32") / size
        speeds = (1.0 / np.float32(self.theta) ** exponents).astype("float32")
        angles = ops.expand_dims(ops.cast(positions, "float32"), -1) * speeds
        cosines, sines = ops.cos(angles), ops.sin(angles)  # [..., S, size / 2]
        left, right = ops.split(ops.cast(vectors, "float32"), 2, axis=-1)
        turned = ops.concatenate(
            [left * cosines - right * sines, right * cosines + left * sines],
            axis=-1,
        )
        return ops.cast(turned, vectors.dtype)

    def get_config(self) -> dict[str, typing.Any]:
        return {"theta": self.theta}

    @classmethod
    def from_config(cls, config: dict[str, typing.Any]) -> typing.Self:
        return cls(**config)
