import keras
import numpy as np

from keras_bert.layers import FlatDense
from keras_bert.layers import LayerNorm
from keras_bert.layers import NormedDense

_INPUTS = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def test_config_round_trip():
    layer = NormedDense(4, LayerNorm(1e-5, name="norm"), activation="tanh")
    layer.build(_INPUTS.shape)
    revived = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(layer)
    )
    assert type(revived) is NormedDense
    revived.set_weights(layer.get_weights())
    assert revived.get_config() == layer.get_config()
    np.testing.assert_array_equal(revived(_INPUTS), layer(_INPUTS))


def test_the_norm_follows_the_activation():
    layer_norm = LayerNorm(name="layer_norm")
    layer = NormedDense(4, layer_norm, activation="tanh", use_bias=False)
    outputs = layer(_INPUTS)
    dense = FlatDense(4, activation="tanh", use_bias=False)
    dense.build(_INPUTS.shape)
    dense.set_weights([layer.kernel])
    np.testing.assert_allclose(outputs, layer_norm(dense(_INPUTS)), atol=1e-6)
