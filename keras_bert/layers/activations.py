"""The two GELUs, which the published configs call by one name."""

import math

import keras
from keras import ops

# (1 + tanh(z)) / 2 is sigmoid(2 * z).
_LINEAR = 2.0 * math.sqrt(2.0 / math.pi)
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


_NAMED = {"gelu_tanh": gelu_tanh, "gelu_erf": keras.activations.gelu}


def get_activation(name):
    """The activation that a config names.

    Args:
        name: "gelu_tanh", "gelu_erf" or what `keras.activations.get` takes.
    """
    return keras.activations.get(_NAMED.get(name, name))


# Computed in float32: there a pass over memory takes no longer than in
# bfloat16, which processors convert at every step. The gradient is written
# out: that of the single operations takes twice as many passes.
@ops.custom_gradient
def _gelu_tanh(x):
    wide = ops.cast(x, keras.backend.result_type(x.dtype, "float32"))
    square = ops.square(wide)
    gate = ops.sigmoid(wide * (_LINEAR + _CUBIC * square))
    outputs = wide * gate

    def gradient(*args, upstream=None):
        (upstream,) = args or (upstream,)
        slope = _LINEAR + 3.0 * _CUBIC * square
        derivative = gate + (outputs - outputs * gate) * slope
        return ops.cast(ops.cast(upstream, wide.dtype) * derivative, x.dtype)

    return ops.cast(outputs, x.dtype), gradient
