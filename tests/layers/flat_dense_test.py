import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import DropoutDense
from keras_bert.layers import FlatDense
from keras_bert.layers import LayerNorm
from keras_bert.layers import NormedDense

_INPUTS = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def make_pair():
    """Return our layer and the one of Keras with the same weights."""
    pair = FlatDense(3, "tanh"), keras.layers.Dense(3, "tanh")
    for layer in pair:
        layer.build(_INPUTS.shape)
    pair[0].set_weights(pair[1].get_weights())
    return pair


@pytest.mark.parametrize("mode", ["int8", "int4"])
def test_quantized_outputs_are_those_of_keras(mode):
    ours, theirs = make_pair()
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


@pytest.mark.parametrize("use_bias, use_lora", [(True, True), (False, False)])
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


def outputs_and_gradients(layer, inputs, **arguments):
    inputs = tf.constant(inputs)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(inputs, **arguments)
        total = tf.reduce_sum(outputs**2)
    weights = [weight.value for weight in layer.weights]
    return [outputs, *tape.gradient(total, [inputs, *weights])]


@pytest.mark.parametrize("shape", [(10, 8), (2, 5, 8), (2, 1, 5, 8)])
def test_outputs_and_gradients_are_those_of_keras(shape):
    ours, theirs = make_pair()
    inputs = _INPUTS.reshape(shape)
    expected = outputs_and_gradients(theirs, inputs)
    for training in (True, False):
        found = outputs_and_gradients(ours, inputs, training=training)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def test_inputs_are_dropped_in_training_and_not_outputs():
    layer = DropoutDense(8, dropout=0.5, kernel_initializer="identity")
    outputs = np.asarray(layer(_INPUTS, training=True))
    kept = outputs != 0
    assert 0.2 < kept.mean() < 0.8
    np.testing.assert_allclose(outputs[kept], 2 * _INPUTS[kept], rtol=1e-6)
    layer.bias.assign(np.ones(8))
    assert (np.asarray(layer(_INPUTS, training=True)) != 0).all()


def test_a_config_holds_the_norm():
    layer = NormedDense(4, LayerNorm(1e-5, name="norm"), activation="tanh")
    layer.build(_INPUTS.shape)
    serialized = keras.saving.serialize_keras_object(layer)
    revived = keras.saving.deserialize_keras_object(serialized)
    revived.set_weights(layer.get_weights())
    assert revived.get_config() == layer.get_config()
    np.testing.assert_array_equal(revived(_INPUTS), layer(_INPUTS))
