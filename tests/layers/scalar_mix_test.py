import keras
import numpy as np

from keras_bert.layers import ScalarMix

_STATES = np.random.default_rng(0).normal(size=(3, 5, 4, 8)).astype("float32")


def test_it_is_the_equation_of_elmo():
    layer = ScalarMix(4)
    layer.build(_STATES.shape)
    scores = np.array([0.5, -1.0, 2.0, 0.0])
    layer.set_weights([scores, np.array(3.0)])
    shares = np.exp(scores) / np.exp(scores).sum()
    expected = 3.0 * sum(
        share * _STATES[:, :, index] for index, share in enumerate(shares)
    )
    mixed = keras.ops.convert_to_numpy(layer(_STATES))
    np.testing.assert_allclose(mixed, expected, rtol=1e-5, atol=1e-6)
