import math

import keras
import numpy as np
import pytest

from keras_bert.layers import TransformerEncoderBlock

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(3, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]], "int32")
_ARGUMENTS = {"hidden_size": 8, "num_heads": 2, "intermediate_size": 16}


def make_block(**arguments):
    """Return a block with random weights, including biases and gains."""
    block = TransformerEncoderBlock(**_ARGUMENTS, **arguments)
    block.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in block.weights:
        center = float(weight.name == "gamma")
        weight.assign(random.normal(center, 0.3, weight.shape))
    return block


def call(block, inputs, mask=None, **arguments):
    output = block(inputs.astype("float32"), mask, **arguments)
    return keras.ops.convert_to_numpy(keras.ops.cast(output, "float32"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"num_head": 4},
            "EncoderBlock`.*`num_head`. Did you mean `num_heads`",
        ),
        (
            {**_ARGUMENTS, "num_head": 4},
            "EncoderBlock`.*Did you mean `num_heads`",
        ),
        ({**_ARGUMENTS, "zzz": 4}, "EncoderBlock`.*`zzz`. Its arguments are "),
        ({"num_heads": 4}, "EncoderBlock`: missing .* 'hidden_size'"),
    ],
)
def test_wrong_arguments_are_named_with_the_class(arguments, message):
    with pytest.raises(TypeError, match=f"`Transformer{message}"):
        TransformerEncoderBlock(**arguments)


def numpy_layer_norm(x, gain, offset):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-12) * gain + offset


def numpy_gelu_tanh(x):
    cubic = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1.0 + np.tanh(cubic))


def numpy_attention(inputs, mask, kernel, bias, output_kernel, output_bias):
    query, key, value = np.split(inputs @ kernel + bias, 3, axis=-1)
    heads = []
    for head in (slice(0, 4), slice(4, 8)):
        scores = np.einsum("bid,bjd->bij", query[..., head], key[..., head])
        exponentials = np.exp(scores / 2.0) * mask[:, None, :]
        weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
        heads.append(weights @ value[..., head])
    return np.concatenate(heads, axis=-1) @ output_kernel + output_bias


def numpy_block(block, inputs, mask):
    """Compute LayerNorm(x + Attention(x)), then LayerNorm(h + FFN(h))."""
    weights = [weight.astype("float64") for weight in block.get_weights()]
    attended = numpy_attention(inputs, mask, *weights[:4])
    hidden = numpy_layer_norm(inputs + attended, *weights[4:6])
    kernel, bias, output_kernel, output_bias = weights[6:10]
    output = (
        numpy_gelu_tanh(hidden @ kernel + bias) @ output_kernel + output_bias
    )
    return numpy_layer_norm(hidden + output, *weights[10:])


def test_output_is_that_of_the_equations():
    block = make_block()
    np.testing.assert_allclose(
        call(block, _INPUTS, _MASK),
        numpy_block(block, _INPUTS, _MASK),
        atol=1e-5,
    )


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32"])
def test_a_mask_may_have_any_dtype(dtype):
    block = make_block()
    np.testing.assert_array_equal(
        call(block, _INPUTS, _MASK.astype(dtype)), call(block, _INPUTS, _MASK)
    )


def test_no_mask_attends_to_all_tokens():
    block = make_block()
    np.testing.assert_array_equal(
        call(block, _INPUTS), call(block, _INPUTS, np.ones_like(_MASK))
    )


@pytest.mark.parametrize(
    "dtype", ["float32", "mixed_bfloat16", "mixed_float16"]
)
def test_a_row_of_padding_is_finite(dtype):
    block = make_block(dtype=dtype)
    assert np.isfinite(call(block, _INPUTS, np.zeros_like(_MASK))).all()


def test_normalization_is_computed_in_float32():
    """In bfloat16 an offset of -1.001 would be -1, and the sum 0."""
    block = make_block(dtype="mixed_bfloat16")
    for weight in block.weights:
        value = np.full(weight.shape, float(weight.name == "gamma"))
        weight.assign(value)
    block.output_layer_norm.beta.assign(np.full(8, -1.001))
    row = np.array([1, -1, 1, -1, 1, -1, 1, -1], "float32")
    output = call(block, np.tile(row, (3, 5, 1)), _MASK)
    np.testing.assert_allclose(output[:, :, ::2], -0.001, rtol=0.01)


def test_the_two_dropouts_of_a_step_differ():
    block = make_block(dropout=0.5, attention_dropout=0.0)
    ones = np.ones((1, 5, 8), "float32")
    masks = [
        keras.ops.convert_to_numpy(dropout(ones, training=True))
        for dropout in (
            block.self_attention.output_dropout,
            block.feed_forward.output_dropout,
        )
    ]
    assert not np.array_equal(*masks)
