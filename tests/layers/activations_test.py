import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import gelu_erf
from keras_bert.layers import gelu_tanh
from keras_bert.layers.activations import inference_activation


def _value_and_gradient(function):
    x = tf.constant(np.linspace(-6.0, 6.0, 1001), tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        weighted = y * tf.sin(x)
    return y, tape.gradient(weighted, x)


@pytest.mark.parametrize(
    "gelu, approximate", [(gelu_tanh, True), (gelu_erf, False)]
)
def test_values_and_gradients_are_those_of_keras(gelu, approximate):
    expected = _value_and_gradient(
        lambda x: keras.activations.gelu(x, approximate=approximate)
    )
    plain = inference_activation(gelu)
    assert plain is not gelu
    for function in (gelu, plain):
        found = _value_and_gradient(function)
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("gelu", [gelu_tanh, gelu_erf])
def test_it_is_saved_and_found_by_its_name(gelu):
    serialized = keras.activations.serialize(gelu)
    assert keras.activations.deserialize(serialized) is gelu
    name = keras.saving.get_registered_name(gelu)
    assert name == f"keras_bert>{gelu.__name__}"
