import keras
import numpy as np
import pytest

from keras_bert.layers import Dropout

_INPUTS = np.random.default_rng(0).normal(size=(4, 5, 8)).astype("float32")


@pytest.mark.filterwarnings("ignore:The model does not have any trainable")
def test_layer(run_layer_test):
    run_layer_test(
        Dropout, {"rate": 0.25, "seed": 1}, {"inputs": _INPUTS}, num_weights=0
    )


def drop(rate, shape, seed=1):
    layer = Dropout(rate, seed=seed)
    ones = keras.ops.ones(shape)
    return keras.ops.convert_to_numpy(layer(ones, training=True))


@pytest.mark.parametrize("size", [1, 2, 7, 64])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_each_place_is_dropped_at_the_rate(rate, size):
    outputs = drop(rate, (200_000 // size, size, 1))
    kept = outputs != 0
    np.testing.assert_allclose(outputs[kept], 1 / (1 - rate), rtol=1e-5)
    error = 5 * np.sqrt(rate * (1 - rate) / len(outputs)) + 1 / 2048
    np.testing.assert_allclose(kept.mean(axis=0), 1 - rate, atol=error)


def test_both_halves_of_a_number_are_independent():
    kept = drop(0.5, (200_000, 2, 1)) != 0
    correlation = np.corrcoef(kept[:, 0, 0], kept[:, 1, 0])[0, 1]
    assert abs(correlation) < 5 / np.sqrt(200_000)


def test_calls_differ_and_seeds_repeat():
    layer, again = Dropout(0.5, seed=7), Dropout(0.5, seed=7)
    ones = keras.ops.ones((4, 64))
    first, second = layer(ones, training=True), layer(ones, training=True)
    assert np.any(np.asarray(first) != np.asarray(second))
    np.testing.assert_array_equal(first, again(ones, training=True))


@pytest.mark.parametrize("rate, training", [(0.5, False), (0.0, True)])
def test_nothing_is_dropped_where_nothing_shall_be(rate, training):
    outputs = Dropout(rate)(_INPUTS, training=training)
    np.testing.assert_array_equal(outputs, _INPUTS)


@pytest.mark.parametrize("rate", [-0.1, 1.0, "half"])
def test_a_rate_out_of_range_is_an_error(rate):
    with pytest.raises(ValueError, match=f"rate={rate!r}"):
        Dropout(rate)


def test_a_vector_is_an_error():
    with pytest.raises(ValueError, match=r"two axes. Received: shape \(3,\)"):
        Dropout(0.5)(keras.ops.ones(3), training=True)
