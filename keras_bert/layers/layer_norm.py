"""Layer normalization with a custom gradient."""

import typing

import keras
from keras import ops

from keras_bert.custom_gradient import custom_gradient
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Shape
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class LayerNorm(Layer):
    """Layer normalization in float32 with a fast custom gradient.

    The outputs equal `keras.layers.LayerNormalization`. The custom gradient
    takes half as many passes over memory as automatic differentiation.

    Args:
        epsilon: small float added to the variance.

    Call arguments:
        inputs: float tensor `(..., size)`.

    Returns:
        float tensor `(..., size)` in the compute dtype.

    Example:

    >>> layer = keras_bert.layers.LayerNorm()
    >>> layer(keras.ops.array([[1.0, 3.0]]))
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[-1.,  1.]], ...)>

    References:
        [Layer Normalization](https://arxiv.org/abs/1607.06450), section 3
    """

    def __init__(self, epsilon: float = EPSILON, **kwargs: typing.Any):
        super().__init__(**kwargs)
        self.supports_masking = True  # Pass Keras masks on.
        self.epsilon = epsilon

    def build(self, inputs_shape: Shape) -> None:
        shape = inputs_shape[-1:]
        self.gamma = self.add_exact_weight("gamma", shape, "ones")
        self.beta = self.add_exact_weight("beta", shape, "zeros")

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        outputs = self._normalized(inputs, training) * self.gamma + self.beta
        return ops.cast(outputs, self.compute_dtype)

    def _normalized(self, inputs, training):
        inputs = ops.cast(inputs, "float32")
        if training:
            return _normalize_in_training(inputs, epsilon=self.epsilon)
        return _normalize(inputs, self.epsilon)[0]


@keras.saving.register_keras_serializable("keras_bert")
class UnshiftedLayerNorm(LayerNorm):
    """Layer normalization without the offset `beta`.

    Args:
        epsilon: small float added to the variance.

    Call arguments:
        inputs: float tensor `(..., size)`.

    Returns:
        float tensor `(..., size)` in the compute dtype.

    Example:

    >>> layer = keras_bert.layers.UnshiftedLayerNorm()
    >>> layer(keras.ops.array([[1.0, 3.0]]))
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[-1.,  1.]], ...)>

    References:
        [ModernBERT](https://arxiv.org/abs/2412.13663), section 2.1.1
    """

    def build(self, inputs_shape: Shape) -> None:
        self.gamma = self.add_exact_weight("gamma", inputs_shape[-1:], "ones")

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        outputs = self._normalized(inputs, training) * self.gamma
        return ops.cast(outputs, self.compute_dtype)


def _normalize(inputs, epsilon):
    """Return the normalized inputs and their scale."""
    centered = inputs - _mean(inputs)
    scale = ops.rsqrt(_mean(ops.square(centered)) + epsilon)
    return centered * scale, scale


@custom_gradient
def _normalize_in_training(inputs, *, epsilon):
    normalized, scale = _normalize(inputs, epsilon)

    def gradient(upstream):
        along = normalized * _mean(upstream * normalized)
        return scale * (upstream - _mean(upstream) - along)

    return normalized, gradient


def _mean(values):
    return ops.mean(values, axis=-1, keepdims=True)
