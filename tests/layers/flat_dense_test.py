import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import FlatDense

_INPUTS = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def test_config_round_trip():
    layer = FlatDense(3, activation="tanh", name="named")
    revived = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(layer)
    )
    assert type(revived) is FlatDense
    assert revived.get_config() == layer.get_config()


def test_symbolic_shapes_may_vary():
    outputs = FlatDense(3)(keras.Input((None, 8)))
    assert outputs.shape == (None, None, 3)
    mixed = FlatDense(3, dtype="mixed_bfloat16")
    assert mixed(_INPUTS).dtype == "bfloat16"


def test_outputs_are_those_of_keras():
    ours, theirs = FlatDense(3), keras.layers.Dense(3)
    theirs.build(_INPUTS.shape)
    ours.build(_INPUTS.shape)
    ours.set_weights(theirs.get_weights())
    for inputs in (_INPUTS, _INPUTS[0], _INPUTS[:, None]):
        np.testing.assert_allclose(ours(inputs), theirs(inputs), atol=1e-6)


@pytest.mark.parametrize("use_bias", [True, False])
def test_some_units_are_those_of_the_layer(use_bias):
    layer = FlatDense(3, "tanh", use_bias=use_bias, bias_initializer="normal")
    outputs = layer(_INPUTS)
    found = layer.some_units(np.array([2, 0]))(_INPUTS)
    np.testing.assert_allclose(found, outputs.numpy()[..., ::-2], atol=1e-6)


def test_the_gradient_of_the_bias_is_summed_in_float32():
    """A sum in bfloat16 stands still at 256 ones."""
    layer = FlatDense(3, dtype="mixed_bfloat16")
    layer.build((None, 2))
    with tf.GradientTape() as tape:
        outputs = layer(np.ones((32, 64, 2), "float32"), training=True)
        total = tf.reduce_sum(tf.cast(outputs, "float32"))
    (gradient,) = tape.gradient(total, [layer.bias.value])
    np.testing.assert_array_equal(gradient, [2048.0] * 3)


def test_gradients_are_those_of_keras():
    ours, theirs = FlatDense(3, "tanh"), keras.layers.Dense(3, "tanh")
    theirs.build(_INPUTS.shape)
    ours.build(_INPUTS.shape)
    ours.set_weights(theirs.get_weights())
    gradients = []
    for layer, arguments in ((ours, {"training": True}), (theirs, {})):
        inputs = tf.constant(_INPUTS)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            total = tf.reduce_sum(layer(inputs, **arguments) ** 2)
        weights = [weight.value for weight in layer.weights]
        gradients.append(tape.gradient(total, [inputs, *weights]))
    for found, expected in zip(*gradients, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
