"""Rows, weights, gradients and graphs for tests of attention."""

import numpy as np
import tensorflow as tf


def widened(layer, stddev=0.3):
    """Build a layer for vectors of size 8, and draw all of its weights."""
    layer.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(random.normal(0.0, stddev, weight.shape))
    return layer


def states(length):
    """Return two rows of vectors."""
    random = np.random.default_rng(0)
    return random.normal(size=(2, length, 8)).astype("float32")


def padded(length):
    """Return a mask, one row padded on the right and one on the left."""
    mask = np.ones((2, length), "int32")
    mask[0, -length // 4 :] = mask[1, : length // 5] = 0
    return mask


def outputs_and_gradients(call, weights, mask):
    """Return the outputs at tokens, and the gradients of inputs and weights."""
    inputs, is_token = tf.constant(states(mask.shape[1])), mask[:, :, None]
    factors = np.random.default_rng(2).normal(size=inputs.shape)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = tf.cast(call(inputs), "float32") * is_token
        loss = tf.reduce_sum(outputs * factors)
    return [outputs, *tape.gradient(loss, [inputs, *weights])]


def assert_close(found, expected, tolerance=1e-5):
    for ours, theirs in zip(found, expected, strict=True):
        scale = max(np.abs(theirs).max(), 1.0)
        np.testing.assert_allclose(ours, theirs, atol=tolerance * scale)


def tensor_shapes(call, length):
    """Return the shapes of all tensors of a training step.

    Args:
        call: function of states and a mask.
        length: int, number of tokens of each row.
    """

    def step(inputs, mask):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = call(inputs, mask)
        return tape.gradient(outputs, inputs)

    graph = tf.function(step).get_concrete_function(
        tf.TensorSpec((2, length, 8)), tf.TensorSpec((2, length), tf.int32)
    )
    operations = graph.graph.get_operations()
    tensors = [x for operation in operations for x in operation.outputs]
    shapes = [tuple(x.shape) for x in tensors if x.shape.rank]
    assert any(length in shape for shape in shapes)
    return shapes
