import keras
import numpy as np
import pytest

from keras_bert.layers import DropoutDense

_INPUTS = np.random.default_rng(0).normal(size=(64, 8)).astype("float32")


def test_config_round_trip():
    layer = DropoutDense(3, dropout=0.25, activation="tanh", name="named")
    revived = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(layer)
    )
    assert type(revived) is DropoutDense
    assert revived.get_config() == layer.get_config()
    assert revived.dropout == 0.25


def test_without_training_it_is_a_dense_layer():
    ours = DropoutDense(3, dropout=0.5, activation="tanh")
    theirs = keras.layers.Dense(3, activation="tanh")
    theirs.build(_INPUTS.shape)
    ours.build(_INPUTS.shape)
    ours.set_weights(theirs.get_weights())
    np.testing.assert_allclose(ours(_INPUTS), theirs(_INPUTS), atol=1e-6)


def test_inputs_are_dropped_in_training_and_not_outputs():
    layer = DropoutDense(8, dropout=0.5, kernel_initializer="identity")
    outputs = np.asarray(layer(_INPUTS, training=True))
    dropped = outputs == 0
    assert 0.4 < dropped.mean() < 0.6
    np.testing.assert_allclose(
        outputs[~dropped], 2 * _INPUTS[~dropped], rtol=1e-6
    )
    layer.bias.assign(np.ones(8))
    assert not (np.asarray(layer(_INPUTS, training=True)) == 0).any()


def test_a_wrong_rate_is_an_error():
    with pytest.raises(ValueError, match="`dropout`.*dropout=1.0"):
        DropoutDense(3, dropout=1.0)
