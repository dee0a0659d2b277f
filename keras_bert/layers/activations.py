"""The two GELUs, which the published configs call by one name."""

import functools
import math

import keras
from keras import ops

# (1 + tanh(z)) / 2 is sigmoid(2 * z).
_LINEAR = 2.0 * math.sqrt(2.0 / math.pi)
_CUBIC = 0.044715 * _LINEAR

# Of the normal distribution: its density at 0, and the scale of erf.
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
_SQRT_HALF = math.sqrt(0.5)


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


@keras.saving.register_keras_serializable("keras_bert")
def gelu_erf(x):
    """Gaussian error linear unit.

    It computes what `keras.activations.gelu` does. With its gradient it takes
    a third of the time.

    Args:
        x: float tensor of any shape.

    Returns:
        A tensor like `x`.

    References:
        [GELU](https://arxiv.org/abs/1606.08415), section 2
    """
    return _gelu_erf(ops.convert_to_tensor(x))


def _plain_gelu_erf(x):
    if x.dtype != "float32":
        # There 1 + erf would lose the digits of a small sum.
        return keras.activations.gelu(x, approximate=False)
    # Keras's is of `erfc`, which TensorFlow takes twice as long for.
    return (0.5 * x) * (ops.erf(x * _SQRT_HALF) + 1.0)


_NAMED = {"gelu_tanh": gelu_tanh, "gelu_erf": gelu_erf}
_PLAIN = {
    gelu_tanh: functools.partial(keras.activations.gelu, approximate=True),
    gelu_erf: _plain_gelu_erf,
}


def without_gradient(activation):
    """The same function for when no gradient is asked for.

    TensorFlow computes a matrix product, its bias and a GELU in one pass where
    the GELU is made of the operations that it knows.

    Args:
        activation: function of a tensor.
    """
    return _PLAIN.get(activation, activation)


def get_activation(name):
    """The activation that a config names.

    Args:
        name: "gelu_tanh", "gelu_erf" or what `keras.activations.get` takes.
    """
    return keras.activations.get(_NAMED.get(name, name))


# Both are computed in float32: there a pass over memory takes no longer than in
# bfloat16, which processors convert at every step. Their gradients are written
# out: those of the single operations take twice as many passes.
@ops.custom_gradient
def _gelu_tanh(x):
    wide = _wide(x)
    square = ops.square(wide)
    gate = ops.sigmoid(wide * (_LINEAR + _CUBIC * square))
    outputs = wide * gate

    def gradient(*args, upstream=None):
        # PyTorch passes its inputs as well, and this by name.
        upstream = args[0] if upstream is None else upstream
        slope = _LINEAR + 3.0 * _CUBIC * square
        derivative = gate + (outputs - outputs * gate) * slope
        return ops.cast(ops.cast(upstream, wide.dtype) * derivative, x.dtype)

    return ops.cast(outputs, x.dtype), gradient


@ops.custom_gradient
def _gelu_erf(x):
    wide = _wide(x)
    share = ops.erf(wide * _SQRT_HALF) + 1.0

    def gradient(*args, upstream=None):
        upstream = args[0] if upstream is None else upstream
        density = ops.exp(-0.5 * ops.square(wide)) * _DENSITY
        derivative = 0.5 * share + wide * density
        return ops.cast(ops.cast(upstream, wide.dtype) * derivative, x.dtype)

    return ops.cast(0.5 * wide * share, x.dtype), gradient


def _wide(x):
    return ops.cast(x, keras.backend.result_type(x.dtype, "float32"))
