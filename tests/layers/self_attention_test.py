import keras
import numpy as np

from keras_bert.layers import SelfAttention

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(3, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]], "int32")


def make_attention(**arguments):
    """Return attention with random weights, including biases."""
    attention = SelfAttention(8, num_heads=2, **arguments)
    attention.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in attention.weights:
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    return attention


def call(attention, inputs, mask=None, **arguments):
    output = attention(inputs.astype("float32"), mask, **arguments)
    return keras.ops.convert_to_numpy(keras.ops.cast(output, "float32"))


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


def test_dropout_is_for_training_alone():
    attention = make_attention(dropout=0.5)
    expected = call(attention, _INPUTS, _MASK)
    np.testing.assert_array_equal(
        call(attention, _INPUTS, _MASK, training=False), expected
    )
    dropped = call(attention, _INPUTS, _MASK, training=True)
    assert not np.allclose(dropped, expected)


def test_output_dropout_drops_the_output():
    attention = make_attention(dropout=0.0, output_dropout=0.5)
    expected = call(attention, _INPUTS, _MASK)
    dropped = call(attention, _INPUTS, _MASK, training=True)
    kept = dropped != 0
    assert 0.2 < kept.mean() < 0.8
    np.testing.assert_allclose(dropped[kept], 2 * expected[kept], rtol=1e-5)


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
