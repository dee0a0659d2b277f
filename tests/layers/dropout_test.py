import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import Dropout
from keras_bert.layers import FeedForward
from keras_bert.layers import GatedFeedForward
from keras_bert.layers import SelfAttention

_IDS = np.array([[1, 2, 8, 3], [4, 5, 6, 7]], "int32")
_INPUTS = np.random.default_rng(0).normal(size=(4, 5, 8)).astype("float32")


def drop(rate, shape, seed=1):
    layer = Dropout(rate, seed=seed)
    ones = keras.ops.ones(shape)
    return keras.ops.convert_to_numpy(layer(ones, training=True))


@pytest.mark.parametrize("rate, size", [(0.1, 7), (0.5, 64), (0.9, 1)])
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


def test_replicas_draw_apart_and_again_the_same(kept):
    masks = [kept(Dropout(0.5, seed=1), replica) for replica in (0, 1, 2)]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert 0.45 < (masks[first] == masks[second]).mean() < 0.55
    again = kept(Dropout(0.5, seed=1), tf.constant(2))
    np.testing.assert_array_equal(masks[2], again)
    # The second replica does not draw as the first with the next seed.
    assert (masks[1] != kept(Dropout(0.5, seed=2), 0)).any()
    for alone in (
        kept(Dropout(0.5, seed=1), 0, num_replicas=1),
        drop(0.5, (64, 64)) != 0,
    ):
        np.testing.assert_array_equal(alone, masks[0])


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


@pytest.mark.parametrize(
    "make, inputs",
    [
        (lambda: BertEmbeddings(9, 8, 6, dropout=0.5), _IDS),
        (lambda: FeedForward(8, 16, dropout=0.5), _INPUTS),
        (lambda: SelfAttention(8, 2, 0.0, output_dropout=0.5), _INPUTS),
    ],
)
def test_layers_drop_their_outputs_in_training_only(make, inputs):
    layer = make()
    expected = np.asarray(layer(inputs))
    dropped = np.asarray(layer(inputs, training=True))
    kept = dropped != 0
    assert 0.2 < kept.mean() < 0.8
    np.testing.assert_allclose(dropped[kept], 2 * expected[kept], atol=1e-6)


def test_attention_drops_its_weights_in_training_only():
    layer = SelfAttention(8, 2, dropout=0.5)
    expected = layer(_INPUTS)
    np.testing.assert_array_equal(layer(_INPUTS, training=False), expected)
    assert not np.allclose(layer(_INPUTS, training=True), expected)


def test_gated_values_are_dropped():
    """If all are dropped, the output is 0; it has no bias."""
    layer = GatedFeedForward(8, 12, dropout=0.5)
    layer.output_dropout.call = lambda x, training: x * 0.0
    np.testing.assert_array_equal(layer(_INPUTS, training=True), 0.0 * _INPUTS)
