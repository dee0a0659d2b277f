import keras
import numpy as np

from keras_bert.layers import FeedForward

_INPUTS = np.random.default_rng(0).normal(size=(3, 5, 8)).astype("float32")


def make_feed_forward(**arguments):
    """Return a network with random weights, including biases."""
    feed_forward = FeedForward(8, 16, **arguments)
    feed_forward.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in feed_forward.weights:
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    return feed_forward


def call(feed_forward, **arguments):
    return keras.ops.convert_to_numpy(feed_forward(_INPUTS, **arguments))


def test_output_is_that_of_the_equation():
    feed_forward = make_feed_forward(activation="relu")
    kernel, bias, output_kernel, output_bias = feed_forward.get_weights()
    between = np.maximum(_INPUTS @ kernel + bias, 0.0)
    np.testing.assert_allclose(
        call(feed_forward), between @ output_kernel + output_bias, atol=1e-5
    )


def test_dropout_is_of_the_output_in_training():
    feed_forward = make_feed_forward(dropout=0.5)
    expected = call(feed_forward)
    dropped = call(feed_forward, training=True)
    kept = dropped != 0
    assert 0.2 < kept.mean() < 0.8
    np.testing.assert_allclose(dropped[kept], 2 * expected[kept], rtol=1e-5)
