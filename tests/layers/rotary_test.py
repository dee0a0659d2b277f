import keras
import numpy as np

from keras_bert.layers import Rotary

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(2, 5, 8)).astype("float32")


def test_pairs_half_a_vector_apart_turn_as_complex_numbers():
    vectors = _RANDOM.normal(size=(2, 7, 6)).astype("float32")
    positions = np.array([0, 1, 2, 5, 8191, 3, 3], "int32")
    pairs = vectors[..., :3] + 1j * vectors[..., 3:]
    speeds = 160000.0 ** (-np.array([0.0, 2.0, 4.0]) / 6.0)
    turned = pairs * np.exp(1j * positions[:, None] * speeds)
    expected = np.concatenate([turned.real, turned.imag], axis=-1)
    found = Rotary(160000.0)(keras.ops.convert_to_tensor(vectors), positions)
    # float32 keeps three decimals of 8191 radians.
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_it_is_computed_in_float32():
    vectors = keras.ops.cast(_INPUTS, "bfloat16")
    positions = np.arange(1000, 1005)
    found = Rotary()(vectors, positions)
    assert found.dtype == "bfloat16"
    exact = Rotary()(keras.ops.cast(vectors, "float32"), positions)
    np.testing.assert_array_equal(found, keras.ops.cast(exact, "bfloat16"))
