import keras
import numpy as np

from keras_bert.layers import SelfAttention
from keras_bert.layers import causal
from tests.layers import rows

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(3, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]], "int32")


def make_attention(**arguments):
    return rows.widened(SelfAttention(8, num_heads=2, **arguments))


def call(attention, inputs, mask=None):
    return keras.ops.convert_to_numpy(attention(inputs, mask))


def test_mask_0_means_being_left_out():
    attention = make_attention()
    np.testing.assert_allclose(
        call(attention, _INPUTS, _MASK)[1, :3],
        call(attention, _INPUTS[[1], :3])[0],
        atol=1e-6,
    )


def test_a_row_of_padding_attends_as_without_a_mask():
    attention = make_attention()
    np.testing.assert_allclose(
        call(attention, _INPUTS, np.zeros_like(_MASK)),
        call(attention, _INPUTS),
        atol=0.01,  # After adding -10000 a score keeps three decimals.
    )


def test_softmax_is_computed_in_float32(monkeypatch):
    dtypes = []
    softmax = keras.ops.softmax

    def spy(scores, *arguments, **keywords):
        dtypes.append(keras.backend.standardize_dtype(scores.dtype))
        return softmax(scores, *arguments, **keywords)

    monkeypatch.setattr(keras.ops, "softmax", spy)
    attention = make_attention(dtype="mixed_bfloat16")
    output = attention(_INPUTS, _MASK)
    assert dtypes == ["float32"]
    assert output.dtype == "bfloat16"


def test_attention_weights_are_those_of_the_output():
    attention = make_attention()
    weights = attention.attention_weights(_INPUTS, _MASK)
    weights = keras.ops.convert_to_numpy(weights)
    assert weights.shape == (3, 2, 5, 5)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    kernel, bias, output_kernel, output_bias = attention.get_weights()
    value = (_INPUTS @ kernel + bias)[:, :, 16:].reshape(3, 5, 2, 4)
    context = np.einsum("bnqk,bknd->bqnd", weights, value).reshape(3, 5, 8)
    np.testing.assert_allclose(
        context @ output_kernel + output_bias,
        call(attention, _INPUTS, _MASK),
        atol=1e-5,
    )


def test_a_causal_token_sees_what_a_sequence_that_ends_there_shows():
    attention = make_attention(pattern=causal)
    outputs, plain = call(attention, _INPUTS), make_attention()
    for length in range(2, 6):
        cut = call(plain, _INPUTS[:, :length])
        np.testing.assert_allclose(
            outputs[:, length - 1], cut[:, -1], atol=1e-6
        )
