import functools
import zlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import BlockSparseAttention
from keras_bert.layers.attention.random_blocks import draw_blocks
from keras_bert.layers.attention.random_blocks import draw_early_blocks
from tests.layers import rows

_SIZE, _NUM_RANDOM = 4, 2
_FULL = (2 * _NUM_RANDOM + 5) * _SIZE  # Longest row with full attention.
_LENGTH = 1031  # A prime number that differs from all other sizes.


def make_attention(random_blocks="published", **arguments):
    attention = BlockSparseAttention(
        *(8, 2, _SIZE, _NUM_RANDOM, random_blocks),
        **{"dropout": 0.0, "seed": 1, "max_positions": 1100, **arguments},
    )
    return rows.widened(attention, 0.5)


def counts_by_hand(length, drawn):
    """Count how often each query attends to each key, `(heads, S, S)`."""
    num_blocks = -(-length // _SIZE)
    counts = np.zeros((2, num_blocks, num_blocks))
    for head, row in np.ndindex(2, num_blocks):
        if length <= _FULL or row in (0, num_blocks - 1):
            counts[head, row] = 1
            continue
        counts[head, row, [0, row - 1, row, row + 1, num_blocks - 1]] = 1
        for block in drawn[head][row - 1]:
            counts[head, row, block] += 1
    wide = np.repeat(np.repeat(counts, _SIZE, axis=1), _SIZE, axis=2)
    return wide[:, :length, :length]


def expected_output(attention, inputs, mask, drawn):
    """Return the output by the definition, in float64."""
    kernel, bias, out_kernel, out_bias = map(np.float64, attention.weights)
    heads = (inputs @ kernel + bias).reshape(*inputs.shape[:2], 3, 2, 4)
    query, key, value = heads.transpose(2, 0, 3, 1, 4)
    scores = query @ key.swapaxes(-1, -2) / 2.0
    weights = np.exp(scores) * counts_by_hand(inputs.shape[1], drawn)
    weights *= mask[:, None, None, :]
    weights /= weights.sum(axis=-1, keepdims=True)
    attended = (weights @ value).transpose(0, 2, 1, 3).reshape(inputs.shape)
    return attended @ out_kernel + out_bias, weights


@pytest.mark.parametrize("length", [_FULL, _FULL + 1, 101])
@pytest.mark.parametrize("random_blocks", ["published", "transformers_eval"])
def test_outputs_are_those_of_the_definition(random_blocks, length):
    attention, inputs = make_attention(random_blocks), rows.states(length)
    drawn = draw_blocks(1, 2, 30, _NUM_RANDOM)
    drawn = drawn if random_blocks == "published" else 0 * drawn
    for mask in (rows.padded(length), np.ones((2, length), "int32")):
        expected, weights = expected_output(attention, inputs, mask, drawn)
        real = mask > 0
        found = np.asarray(attention(inputs, mask))
        np.testing.assert_allclose(found[real], expected[real], atol=1e-5)
        found = np.asarray(attention.attention_weights(inputs, mask))
        found, weights = (x.swapaxes(1, 2)[real] for x in (found, weights))
        np.testing.assert_allclose(found, weights, atol=1e-5)
    without = np.asarray(attention(inputs))
    np.testing.assert_allclose(without, attention(inputs, mask), atol=1e-6)


def test_blocks_of_the_base_model_are_those_of_google_research():
    """The sums are of the blocks that google-research/bigbird draws."""
    for seed, usual, early in (
        (0, 2693432104, 4244605532),
        (11, 1819386811, 478820847),
    ):
        drawn = draw_blocks(seed, 12, 63, 3)
        assert zlib.crc32(np.ascontiguousarray(drawn)) == usual
        assert zlib.crc32(draw_early_blocks(seed, 12, 64, 3, 64)) == early
    assert drawn[0, :3].tolist() == [[6, 3, 8], [8, 6, 9], [6, 7, 9]]


def test_some_queries_get_the_outputs_of_all():
    attention, mask = make_attention(), rows.padded(101)
    positions = np.array([[0, 7, 60], [100, 50, 30]], "int32")
    found = attention(rows.states(101), mask, positions)
    every = np.asarray(attention(rows.states(101), mask))
    expected = np.take_along_axis(every, positions[..., None], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_gradients_are_those_of_the_weights():
    attention, mask = make_attention(), rows.padded(101)

    def dense(inputs):
        weights = attention.attention_weights(inputs, mask)
        *_, value = attention.heads(attention.query_key_value(inputs))
        return attention.attention_output(attention.join(weights @ value))

    found, expected = (
        rows.outputs_and_gradients(call, attention.trainable_variables, mask)
        for call in (functools.partial(attention, attention_mask=mask), dense)
    )
    rows.assert_close(found, expected)


def test_no_tensor_has_two_axes_of_the_length():
    num_blocks = -(-_LENGTH // _SIZE)
    for shape in rows.tensor_shapes(make_attention(), _LENGTH):
        long = [size for size in shape if (size or 0) >= num_blocks - 2]
        assert len(long) < 2, shape


def test_rows_and_weights_in_bfloat16_are_nearly_the_same():
    inputs, mask = rows.states(101), rows.padded(101)
    exact, rough = make_attention(), make_attention(dtype="mixed_bfloat16")
    for kind, axis in (("__call__", 1), ("attention_weights", 2)):
        expected = np.asarray(getattr(exact, kind)(inputs, mask))
        found = getattr(rough, kind)(tf.cast(inputs, "bfloat16"), mask)
        assert found.dtype == tf.bfloat16
        found, expected = (
            np.moveaxis(np.asarray(x, "float32"), axis, 1)[mask > 0]
            for x in (found, expected)
        )
        np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.1)


def test_operations_grow_linearly():
    attention = make_attention(max_positions=10**6)
    counts = [attention.flops(n, n) for n in (4000, 8000, 16000)]
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])
    full = super(BlockSparseAttention, attention).flops
    assert attention.flops(_FULL, 3) == full(_FULL, 3)
    assert attention.flops(400, 400) < full(400, 400)
