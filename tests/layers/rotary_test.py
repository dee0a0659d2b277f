import keras
import numpy as np

from keras_bert.layers import Rotary
from keras_bert.layers import SelfAttention

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")
_ARGUMENTS = {
    "hidden_size": 8,
    "num_heads": 2,
    "dropout": 0.0,
    "kernel_initializer": keras.initializers.RandomNormal(stddev=0.5, seed=0),
}


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
    near = positions < 100
    np.testing.assert_allclose(
        np.asarray(found)[:, near], expected[:, near], atol=1e-5
    )


def test_it_is_computed_in_float32():
    vectors = keras.ops.cast(_INPUTS, "bfloat16")
    positions = np.arange(1000, 1005)
    found = Rotary()(vectors, positions)
    assert found.dtype == "bfloat16"
    exact = Rotary()(keras.ops.cast(vectors, "float32"), positions)
    np.testing.assert_array_equal(found, keras.ops.cast(exact, "bfloat16"))


def test_only_distances_matter_to_attention():
    attention = SelfAttention(**_ARGUMENTS, rotary=Rotary(10.0))
    whole = np.asarray(attention(_INPUTS[:1]))
    before = np.concatenate([_INPUTS[:1, :3], _INPUTS[:1]], axis=1)
    mask = np.array([[0, 0, 0, 1, 1, 1, 1, 1]], "int32")
    np.testing.assert_allclose(
        np.asarray(attention(before, mask))[:, 3:], whole, atol=1e-6
    )
    backwards = np.asarray(attention(_INPUTS[:1, ::-1]))[:, ::-1]
    assert np.abs(backwards - whole).max() > 1e-3


def test_positions_asked_for_are_those_of_the_whole():
    attention = SelfAttention(**_ARGUMENTS, rotary=Rotary(10.0))
    positions = np.array([[4, 0, 2], [1, 1, 0]], "int32")
    whole = np.asarray(attention(_INPUTS, _MASK))
    rows = np.take_along_axis(whole, positions[:, :, None], axis=1)
    np.testing.assert_allclose(
        attention(_INPUTS, _MASK, positions), rows, atol=1e-6
    )
