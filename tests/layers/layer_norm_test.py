import keras
import numpy as np
import tensorflow as tf

from keras_bert.layers import LayerNorm

_INPUTS = np.random.default_rng(0).normal(1.0, 3.0, (4, 5, 8)).astype("float32")


def gradients(layer, inputs, **arguments):
    """Return the gradients of inputs and weights; rows are weighted."""
    upstream = np.random.default_rng(1).normal(size=inputs.shape)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(inputs, **arguments) * upstream.astype("float32")
    return tape.gradient(outputs, [inputs, *layer.trainable_variables])


def test_outputs_and_gradients_are_those_of_keras():
    ours = LayerNorm(epsilon=1e-12)
    theirs = keras.layers.LayerNormalization(epsilon=1e-12)
    random = np.random.default_rng(2)
    for layer in (ours, theirs):
        layer.build(_INPUTS.shape)
    weights = [random.normal(size=8), random.normal(size=8)]
    ours.set_weights(weights)
    theirs.set_weights(weights)
    inputs = tf.constant(_INPUTS)
    np.testing.assert_allclose(ours(inputs), theirs(inputs), atol=1e-5)
    expected = gradients(theirs, inputs)
    for training in (True, False):
        found = gradients(ours, inputs, training=training)
        for our, their in zip(found, expected, strict=True):
            np.testing.assert_allclose(our, their, atol=2e-5)


def test_it_is_computed_in_float32():
    """In bfloat16, the mean of 256 and 258 would be 256, and 1.001 be 1."""
    layer = LayerNorm(dtype="mixed_bfloat16")
    layer.build((1, 4))
    layer.beta.assign(np.full(4, -1.001))
    outputs = layer(keras.ops.array([[256.0, 258.0, 256.0, 258.0]]))
    assert outputs.dtype == "bfloat16"
    expected = [[-2.001, -0.001, -2.001, -0.001]]
    found = keras.ops.cast(outputs, "float32")
    np.testing.assert_allclose(found, expected, rtol=0.01)


def test_a_constant_row_is_finite():
    outputs = LayerNorm()(keras.ops.ones((1, 8)))
    np.testing.assert_array_equal(outputs, np.zeros((1, 8)))
