import math

import numpy as np

from keras_bert.layers import GatedFeedForward
from keras_bert.layers import gelu_erf

_INPUTS = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def make_layer(**arguments):
    layer = GatedFeedForward(8, 12, activation=gelu_erf, **arguments)
    layer.build(_INPUTS.shape)
    random = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(random.normal(0.0, 0.5, weight.shape))
    return layer


def test_the_second_half_gates_the_first():
    layer = make_layer(dropout=0.0)
    intermediate, output = (np.asarray(x, "float64") for x in layer.weights)
    values, gates = np.split(_INPUTS @ intermediate, 2, axis=-1)
    erf = np.vectorize(math.erf)(values / math.sqrt(2.0))
    expected = (0.5 * values * (1.0 + erf) * gates) @ output
    for training in (False, True):
        found = layer(_INPUTS, training=training)
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_dropout_is_of_the_gated_values():
    """If all are dropped, the output is 0; it has no bias."""
    layer = make_layer(dropout=0.5)
    layer.output_dropout.call = lambda x, training: x * 0.0
    np.testing.assert_array_equal(layer(_INPUTS, training=True), 0.0 * _INPUTS)
