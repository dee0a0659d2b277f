import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import gelu_tanh
from keras_bert.layers.activations import get_activation

_X = np.linspace(-6.0, 6.0, 1001)


def test_values_are_those_of_the_paper():
    cubic = math.sqrt(2.0 / math.pi) * (_X + 0.044715 * _X**3)
    np.testing.assert_allclose(
        keras.ops.convert_to_numpy(gelu_tanh(_X.astype("float32"))),
        0.5 * _X * (1.0 + np.tanh(cubic)),
        atol=1e-6,
    )


def test_it_is_not_the_erf_form():
    x = _X.astype("float32")
    difference = keras.ops.convert_to_numpy(
        gelu_tanh(x) - keras.activations.gelu(x)
    )
    assert 1e-4 < np.abs(difference).max() < 1e-3


def test_it_is_saved_and_found_by_its_name():
    serialized = keras.activations.serialize(gelu_tanh)
    assert keras.activations.deserialize(serialized) is gelu_tanh
    assert keras.saving.get_registered_name(gelu_tanh) == "keras_bert>gelu_tanh"


def test_gradient_is_that_of_the_composed_function():
    x = tf.constant(_X, tf.float32)
    gradients = []
    for function in (
        gelu_tanh,
        lambda x: keras.activations.gelu(x, approximate=True),
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
