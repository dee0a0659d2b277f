import keras
import numpy as np

from keras_bert.layers import FlatDense

_INPUTS = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def test_config_round_trip():
    layer = FlatDense(3, activation="tanh", name="named")
    revived = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(layer)
    )
    assert type(revived) is FlatDense
    assert revived.get_config() == layer.get_config()


def test_symbolic_shapes_may_vary():
    outputs = FlatDense(3)(keras.Input((None, 8)))
    assert outputs.shape == (None, None, 3)
    mixed = FlatDense(3, dtype="mixed_bfloat16")
    assert mixed(_INPUTS).dtype == "bfloat16"


def test_outputs_are_those_of_keras():
    ours, theirs = FlatDense(3), keras.layers.Dense(3)
    theirs.build(_INPUTS.shape)
    ours.build(_INPUTS.shape)
    ours.set_weights(theirs.get_weights())
    for inputs in (_INPUTS, _INPUTS[0], _INPUTS[:, None]):
        np.testing.assert_allclose(ours(inputs), theirs(inputs), atol=1e-6)
