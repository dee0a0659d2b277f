"""LayerNorm with its gradient written out."""

import keras
from keras import ops

from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.layer import Layer


@keras.saving.register_keras_serializable("keras_bert")
class LayerNorm(Layer):
    """Normalizes each vector to mean 0 and variance 1, in float32.

    It computes what `keras.layers.LayerNormalization` does. The gradient is
    written out: that of the single operations takes twice as many passes over
    memory.

    Args:
        epsilon: float, added to the variance.

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

    def __init__(self, epsilon=EPSILON, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True  # Those that Keras passes along.
        self.epsilon = epsilon

    def build(self, inputs_shape):
        shape = inputs_shape[-1:]
        self.gamma = self.add_exact_weight("gamma", shape, "ones")
        self.beta = self.add_exact_weight("beta", shape, "zeros")

    def call(self, inputs):
        outputs = self._normalized(inputs) * self.gamma + self.beta
        return ops.cast(outputs, self.compute_dtype)

    def _normalized(self, inputs):
        return _normalize(ops.cast(inputs, "float32"), self.epsilon)


@keras.saving.register_keras_serializable("keras_bert")
class UnshiftedLayerNorm(LayerNorm):
    """Normalizes each vector as `LayerNorm` and scales it, adding nothing.

    Args:
        epsilon: float, added to the variance.

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

    def build(self, inputs_shape):
        self.gamma = self.add_exact_weight("gamma", inputs_shape[-1:], "ones")

    def call(self, inputs):
        outputs = self._normalized(inputs) * self.gamma
        return ops.cast(outputs, self.compute_dtype)


def _normalize(inputs, epsilon):
    @ops.custom_gradient
    def normalize(inputs):
        centered = inputs - _mean(inputs)
        scale = ops.rsqrt(_mean(ops.square(centered)) + epsilon)
        normalized = centered * scale

        def gradient(*args, upstream=None):
            # PyTorch passes its inputs as well, and this by name.
            upstream = args[0] if upstream is None else upstream
            along = normalized * _mean(upstream * normalized)
            return scale * (upstream - _mean(upstream) - along)

        return normalized, gradient

    return normalize(inputs)


def _mean(values):
    return ops.mean(values, axis=-1, keepdims=True)
