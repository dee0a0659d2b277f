"""LayerNorm without an offset."""

import keras
from keras import ops

from keras_bert.layers.layer_norm import LayerNorm


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
        self.gamma = self._add_vector("gamma", inputs_shape[-1:], "ones")

    def call(self, inputs):
        outputs = self._normalized(inputs) * self.gamma
        return ops.cast(outputs, self.compute_dtype)
