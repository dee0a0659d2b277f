import keras
import numpy as np
import pytest

from keras_bert.layers import FeedForward

_INPUTS = np.random.default_rng(0).normal(size=(3, 5, 8)).astype("float32")


def make_feed_forward(**arguments):
    """A net whose every weight matters, biases too."""
    feed_forward = FeedForward(8, 16, **arguments)
    feed_forward.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in feed_forward.weights:
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    return feed_forward


def call(feed_forward, **arguments):
    return keras.ops.convert_to_numpy(feed_forward(_INPUTS, **arguments))


def test_layer(run_layer_test):
    run_layer_test(
        FeedForward,
        {"hidden_size": 8, "intermediate_size": 16, "dropout": 0.0},
        {"inputs": _INPUTS},
        num_weights=4,
    )


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


def test_wrong_arguments_are_errors():
    for name, value, message in (
        ("hidden_size", 0, "`hidden_size`.*hidden_size=0 "),
        ("intermediate_size", 1.5, "`intermediate_size`.*size=1.5 .*float"),
        ("dropout", 1.0, "`dropout`.*dropout=1.0"),
        ("activation", "gelu_twice", "gelu_twice"),
    ):
        arguments = {"hidden_size": 8, "intermediate_size": 16, name: value}
        with pytest.raises(ValueError, match=message):
            FeedForward(**arguments)
