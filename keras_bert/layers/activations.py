"""GELU activations: the exact erf form and the tanh approximation."""

import functools
import math

import keras
from keras import ops

from keras_bert.custom_gradient import custom_gradient
from keras_bert.typing import Tensor

# (1 + tanh(z)) / 2 is sigmoid(2 * z).
_LINEAR = 2.0 * math.sqrt(2.0 / math.pi)
_CUBIC = 0.044715 * _LINEAR

# Density of the normal distribution at 0, and the scale inside erf.
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
_SQRT_HALF = math.sqrt(0.5)


@keras.saving.register_keras_serializable("keras_bert")
def gelu_tanh(x: Tensor) -> Tensor:
    """Gaussian error linear unit (GELU), tanh approximation.

    Args:
        x: float tensor of any shape.

    Returns:
        A tensor with the shape and dtype of `x`.

    References:
        [GELU](https://arxiv.org/abs/1606.08415), section 2
    """
    return _gelu_tanh(ops.convert_to_tensor(x))


@keras.saving.register_keras_serializable("keras_bert")
def gelu_erf(x: Tensor) -> Tensor:
    """Gaussian error linear unit.

    Returns the same values as `keras.activations.gelu`, but the forward and
    backward passes together take a third of the time.

    Args:
        x: float tensor of any shape.

    Returns:
        A tensor with the shape and dtype of `x`.

    References:
        [GELU](https://arxiv.org/abs/1606.08415), section 2
    """
    return _gelu_erf(ops.convert_to_tensor(x))


def _plain_gelu_erf(x):
    if x.dtype != "float32":
        # In low precision, 1 + erf would lose the digits of a small sum.
        return keras.activations.gelu(x, approximate=False)
    # Keras computes `erfc`, which takes TensorFlow twice as long.
    return (0.5 * x) * (ops.erf(x * _SQRT_HALF) + 1.0)


_NAMED = {"gelu_tanh": gelu_tanh, "gelu_erf": gelu_erf}
_PLAIN = {
    gelu_tanh: functools.partial(keras.activations.gelu, approximate=True),
    gelu_erf: _plain_gelu_erf,
}


def inference_activation(activation):
    """Return the variant of an activation that is fastest for inference.

    TensorFlow fuses a matrix product, its bias and a GELU into one pass if the
    GELU consists of the operations that TensorFlow recognizes.

    Args:
        activation: callable that maps a tensor to a tensor of the same shape.
    """
    return _PLAIN.get(activation, activation)


def get_activation(name):
    """Return an activation function by its name in a config.

    Args:
        name: "gelu_tanh", "gelu_erf" or an argument of
            `keras.activations.get`.
    """
    return keras.activations.get(_NAMED.get(name, name))


# Both functions compute in float32, which is as fast as bfloat16, because
# processors convert bfloat16 at every step. Their gradients are explicit,
# because automatic differentiation takes twice as many passes over memory.
@custom_gradient
def _gelu_tanh(x):
    wide = _wide(x)
    square = ops.square(wide)
    gate = ops.sigmoid(wide * (_LINEAR + _CUBIC * square))
    outputs = wide * gate

    def gradient(upstream):
        slope = _LINEAR + 3.0 * _CUBIC * square
        derivative = gate + (outputs - outputs * gate) * slope
        return ops.cast(ops.cast(upstream, wide.dtype) * derivative, x.dtype)

    return ops.cast(outputs, x.dtype), gradient


@custom_gradient
def _gelu_erf(x):
    wide = _wide(x)
    share = ops.erf(wide * _SQRT_HALF) + 1.0

    def gradient(upstream):
        density = ops.exp(-0.5 * ops.square(wide)) * _DENSITY
        derivative = 0.5 * share + wide * density
        return ops.cast(ops.cast(upstream, wide.dtype) * derivative, x.dtype)

    return ops.cast(0.5 * wide * share, x.dtype), gradient


def _wide(x):
    return ops.cast(x, keras.backend.result_type(x.dtype, "float32"))
