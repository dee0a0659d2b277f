import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import gelu_erf
from keras_bert.layers import gelu_tanh
from keras_bert.layers.activations import get_activation
from keras_bert.layers.activations import inference_activation

_X = np.linspace(-6.0, 6.0, 1001)


def _gate_tanh(x):
    return np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))


def _gate_erf(x):
    return np.array([math.erf(value / math.sqrt(2.0)) for value in x])


@pytest.mark.parametrize(
    "gelu,gate", [(gelu_tanh, _gate_tanh), (gelu_erf, _gate_erf)]
)
def test_values_are_those_of_the_paper(gelu, gate):
    np.testing.assert_allclose(
        keras.ops.convert_to_numpy(gelu(_X.astype("float32"))),
        0.5 * _X * (1.0 + gate(_X)),
        atol=1e-6,
    )


@pytest.mark.parametrize("gelu", [gelu_tanh, gelu_erf])
def test_it_is_saved_and_found_by_its_name(gelu):
    serialized = keras.activations.serialize(gelu)
    assert keras.activations.deserialize(serialized) is gelu
    name = keras.saving.get_registered_name(gelu)
    assert name == f"keras_bert>{gelu.__name__}"


@pytest.mark.parametrize(
    "gelu,approximate", [(gelu_tanh, True), (gelu_erf, False)]
)
def test_gradient_is_that_of_the_composed_function(gelu, approximate):
    x = tf.constant(_X, tf.float32)
    gradients = []
    for function in (
        gelu,
        lambda x: keras.activations.gelu(x, approximate=approximate),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x) * tf.sin(x)
        gradients.append(tape.gradient(y, x))
    np.testing.assert_allclose(*gradients, atol=1e-5)


def test_each_gelu_has_its_name():
    x = np.array([-1.0], "float32")
    tanh, erf = (
        float(get_activation(name)(x)[0]) for name in ("gelu_tanh", "gelu_erf")
    )
    assert tanh == pytest.approx(-0.158808, abs=1e-6)
    assert erf == pytest.approx(-0.158655, abs=1e-6)
    assert get_activation("relu") is keras.activations.relu


@pytest.mark.parametrize("gelu", [gelu_tanh, gelu_erf])
def test_without_gradient_it_is_the_same_function(gelu):
    plain = inference_activation(gelu)
    assert plain is not gelu
    x = _X.astype("float32")
    np.testing.assert_allclose(
        *(keras.ops.convert_to_numpy(f(x)) for f in (gelu, plain)), atol=2e-6
    )
    assert (
        inference_activation(keras.activations.relu) is keras.activations.relu
    )
