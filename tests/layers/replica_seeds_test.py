import keras
import numpy as np
import pytest

from keras_bert.layers import Dropout
from keras_bert.layers.replica_seeds import replica_seeds


def kept(layer, replica):
    with replica_seeds(replica):
        outputs = layer(keras.ops.ones((64, 64)), training=True)
    return keras.ops.convert_to_numpy(outputs) != 0


def test_replicas_draw_apart_and_again_the_same():
    masks = [kept(Dropout(0.5, seed=1), replica) for replica in (0, 1, 2)]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert 0.45 < (masks[first] == masks[second]).mean() < 0.55
    np.testing.assert_array_equal(masks[2], kept(Dropout(0.5, seed=1), 2))


def test_a_replica_is_no_neighbouring_seed():
    assert (
        kept(Dropout(0.5, seed=1), 1) != kept(Dropout(0.5, seed=2), 0)
    ).any()


def test_the_first_replica_and_a_single_device_draw_the_same():
    np.testing.assert_array_equal(
        kept(Dropout(0.5, seed=1), 0), kept(Dropout(0.5, seed=1), None)
    )


def test_the_state_is_the_same_on_all_replicas():
    layers = [Dropout(0.5, seed=1) for _ in range(2)]
    for replica, layer in enumerate(layers):
        kept(layer, replica)
    first, second = (layer.seed_generator.state.numpy() for layer in layers)
    np.testing.assert_array_equal(first, second)


def test_it_ends_with_the_context():
    expected = kept(Dropout(0.5, seed=1), None)
    with pytest.raises(KeyError), replica_seeds(3):
        raise KeyError
    outputs = Dropout(0.5, seed=1)(keras.ops.ones((64, 64)), training=True)
    np.testing.assert_array_equal(np.asarray(outputs) != 0, expected)
