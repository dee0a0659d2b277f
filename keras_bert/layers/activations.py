"""The GELU of google-research/bert, which Keras has no name for."""

import math

import keras
from keras import ops

_LINEAR = math.sqrt(2.0 / math.pi)
_CUBIC = 0.044715 * _LINEAR


@keras.saving.register_keras_serializable("keras_bert")
def gelu_tanh(x):
    """Gaussian error linear unit in its tanh approximation.

    Args:
        x: float tensor of any shape.

    Returns:
        A tensor like `x`.

    References:
        [GELU](https://arxiv.org/abs/1606.08415), section 2
    """
    return _gelu_tanh(ops.convert_to_tensor(x))


# The gradient is written out: that of the single operations takes twice as
# many passes over memory.
@ops.custom_gradient
def _gelu_tanh(x):
    square = ops.square(x)
    tanh = ops.tanh(x * (_LINEAR + _CUBIC * square))
    gate = 0.5 + 0.5 * tanh

    def gradient(*args, upstream=None):
        (upstream,) = args or (upstream,)
        slope = _LINEAR + 3.0 * _CUBIC * square
        return upstream * gate * (1.0 + x * (1.0 - tanh) * slope)

    return x * gate, gradient
