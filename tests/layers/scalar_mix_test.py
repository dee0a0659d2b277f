import keras
import numpy as np
import pytest

from keras_bert.layers import ScalarMix

_STATES = np.random.default_rng(0).normal(size=(3, 5, 4, 8)).astype("float32")


def test_it_starts_as_the_mean_of_the_layers():
    mixed = keras.ops.convert_to_numpy(ScalarMix(4)(_STATES))
    np.testing.assert_allclose(mixed, _STATES.mean(axis=2), atol=1e-6)


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


def test_rows_do_not_mix():
    """Check that neighbors of a token, also padding, have no effect."""
    layer = ScalarMix(4)
    whole = keras.ops.convert_to_numpy(layer(_STATES))
    part = keras.ops.convert_to_numpy(layer(_STATES[1:2, :3]))
    np.testing.assert_array_equal(whole[1:2, :3], part)


def test_another_number_of_layers_is_an_error():
    with pytest.raises(ValueError, match=r"4, hidden.*shape \(3, 5, 2, 8\)"):
        ScalarMix(4).build((3, 5, 2, 8))
    with pytest.raises(ValueError, match="num_layers=0"):
        ScalarMix(0)
