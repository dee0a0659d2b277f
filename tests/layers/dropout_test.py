import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import Dropout

_INPUTS = np.random.default_rng(0).normal(size=(4, 5, 8)).astype("float32")


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


def test_a_vector_is_an_error():
    with pytest.raises(ValueError, match=r"two axes. Received: shape \(3,\)"):
        Dropout(0.5)(keras.ops.ones(3), training=True)


@pytest.fixture
def kept(monkeypatch):
    """Return what a layer keeps on one of several replicas."""

    def kept(layer, replica, num_replicas=3):
        context = types.SimpleNamespace(
            num_replicas_in_sync=num_replicas, replica_id_in_sync_group=replica
        )
        with monkeypatch.context() as patch:
            patch.setattr(tf.distribute, "get_replica_context", lambda: context)
            outputs = layer(keras.ops.ones((64, 64)), training=True)
        return keras.ops.convert_to_numpy(outputs) != 0

    return kept


def kept_by_one_device(layer):
    return np.asarray(layer(keras.ops.ones((64, 64)), training=True)) != 0


def test_replicas_draw_apart_and_again_the_same(kept):
    masks = [kept(Dropout(0.5, seed=1), replica) for replica in (0, 1, 2)]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert 0.45 < (masks[first] == masks[second]).mean() < 0.55
    np.testing.assert_array_equal(masks[2], kept(Dropout(0.5, seed=1), 2))


def test_the_number_of_a_replica_may_be_a_tensor(kept):
    np.testing.assert_array_equal(
        kept(Dropout(0.5, seed=1), tf.constant(1)),
        kept(Dropout(0.5, seed=1), 1),
    )


def test_a_replica_is_no_neighbouring_seed(kept):
    assert (
        kept(Dropout(0.5, seed=1), 1) != kept(Dropout(0.5, seed=2), 0)
    ).any()


def test_the_first_replica_and_a_single_device_draw_the_same(kept):
    expected = kept_by_one_device(Dropout(0.5, seed=1))
    np.testing.assert_array_equal(kept(Dropout(0.5, seed=1), 0), expected)
    np.testing.assert_array_equal(
        kept(Dropout(0.5, seed=1), 0, num_replicas=1), expected
    )


def test_the_state_is_the_same_on_all_replicas(kept):
    layers = [Dropout(0.5, seed=1) for _ in range(2)]
    for replica, layer in enumerate(layers):
        kept(layer, replica)
    first, second = (layer.seed_generator.state.numpy() for layer in layers)
    np.testing.assert_array_equal(first, second)


def test_a_layer_is_built_in_the_scope_of_a_strategy():
    """Build outside of a replica."""
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        inputs = keras.Input((4, 8))
        model = keras.Model(inputs, Dropout(0.5, seed=1)(inputs))
        outputs = model(np.ones((2, 4, 8), "float32"), training=True)
    assert 0 < (np.asarray(outputs) == 0).mean() < 1
