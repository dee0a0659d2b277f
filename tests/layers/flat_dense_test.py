import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import DropoutDense
from keras_bert.layers import FlatDense
from keras_bert.layers import LayerNorm
from keras_bert.layers import NormedDense

_INPUTS = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


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


@pytest.mark.parametrize("mode", ["int8", "int4"])
def test_quantized_outputs_are_those_of_keras(mode):
    ours, theirs = FlatDense(3, "tanh"), keras.layers.Dense(3, "tanh")
    theirs.build(_INPUTS.shape)
    ours.build(_INPUTS.shape)
    ours.set_weights(theirs.get_weights())
    before = ours(_INPUTS).numpy()
    for layer in ours, theirs:
        layer.quantize(mode)
    np.testing.assert_allclose(ours(_INPUTS), theirs(_INPUTS), atol=1e-6)
    assert 0 < np.abs(ours(_INPUTS) - before).max() < 0.2
    assert ours.kernel.dtype == "int8"


def test_layers_with_more_than_a_product_refuse_to_be_quantized():
    layer = DropoutDense(3)
    layer.build(_INPUTS.shape)
    with pytest.raises(NotImplementedError, match="DropoutDense"):
        layer.quantize("int8")


@pytest.mark.parametrize("use_lora", [True, False])
@pytest.mark.parametrize("use_bias", [True, False])
def test_some_units_are_those_of_the_layer(use_bias, use_lora):
    layer = FlatDense(3, "tanh", use_bias=use_bias, bias_initializer="normal")
    layer.build(_INPUTS.shape)
    if use_lora:
        layer.enable_lora(2, b_initializer="normal")
    outputs = layer(_INPUTS)
    found = layer.select_units(np.array([2, 0]))(_INPUTS)
    np.testing.assert_allclose(found, outputs.numpy()[..., ::-2], atol=1e-6)


def test_the_gradient_of_the_bias_is_summed_in_float32():
    """In bfloat16 a sum of ones stays at 256."""
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


_VECTORS = np.random.default_rng(0).normal(size=(64, 8)).astype("float32")


def test_inputs_are_dropped_in_training_and_not_outputs():
    layer = DropoutDense(8, dropout=0.5, kernel_initializer="identity")
    outputs = np.asarray(layer(_VECTORS, training=True))
    dropped = outputs == 0
    assert 0.4 < dropped.mean() < 0.6
    np.testing.assert_allclose(
        outputs[~dropped], 2 * _VECTORS[~dropped], rtol=1e-6
    )
    layer.bias.assign(np.ones(8))
    assert not (np.asarray(layer(_VECTORS, training=True)) == 0).any()


def test_config_round_trip_with_a_norm():
    layer = NormedDense(4, LayerNorm(1e-5, name="norm"), activation="tanh")
    layer.build(_INPUTS.shape)
    revived = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(layer)
    )
    assert type(revived) is NormedDense
    revived.set_weights(layer.get_weights())
    assert revived.get_config() == layer.get_config()
    np.testing.assert_array_equal(revived(_INPUTS), layer(_INPUTS))


def test_the_norm_follows_the_activation():
    layer_norm = LayerNorm(name="layer_norm")
    layer = NormedDense(4, layer_norm, activation="tanh", use_bias=False)
    outputs = layer(_INPUTS)
    dense = FlatDense(4, activation="tanh", use_bias=False)
    dense.build(_INPUTS.shape)
    dense.set_weights([layer.kernel])
    np.testing.assert_allclose(outputs, layer_norm(dense(_INPUTS)), atol=1e-6)
