import zlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import BlockSparseAttention
from keras_bert.layers.random_blocks import draw_blocks
from keras_bert.layers.random_blocks import draw_early_blocks

_SIZE, _NUM_RANDOM = 4, 2
_FULL = (2 * _NUM_RANDOM + 5) * _SIZE  # Longest row with full attention.
_LENGTH = 1031  # A prime number that differs from all other sizes.
_LENGTHS = [_FULL, _FULL + 1, _FULL + 3, _FULL + 4, 60, 101]
_PATTERNS = ["published", "transformers_eval"]


def make_attention(random_blocks="published", **arguments):
    attention = BlockSparseAttention(
        *(8, 2, _SIZE, _NUM_RANDOM, random_blocks),
        **{"dropout": 0.0, "seed": 1, "max_positions": 1100, **arguments},
    )
    attention.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in attention.weights:
        weight.assign(random.normal(0.0, 0.5, weight.shape))
    return attention


def states(length):
    random = np.random.default_rng(length)
    return random.normal(size=(2, length, 8)).astype("float32")


def padded(length):
    """Return a mask, one row padded on the right and one on the left."""
    mask = np.ones((2, length), "int32")
    mask[0, -length // 4 :] = mask[1, : length // 5] = 0
    return mask


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


@pytest.mark.parametrize("length", _LENGTHS)
@pytest.mark.parametrize("random_blocks", _PATTERNS)
def test_outputs_are_those_of_the_definition(random_blocks, length):
    attention, inputs = make_attention(random_blocks), states(length)
    drawn = draw_blocks(1, 2, 30, _NUM_RANDOM)
    drawn = drawn if random_blocks == "published" else 0 * drawn
    for mask in (padded(length), np.ones((2, length), "int32")):
        expected, weights = expected_output(attention, inputs, mask, drawn)
        real = mask > 0
        found = np.asarray(attention(inputs, mask))
        np.testing.assert_allclose(found[real], expected[real], atol=1e-5)
        found = np.asarray(attention.attention_weights(inputs, mask))
        found, weights = (x.swapaxes(1, 2)[real] for x in (found, weights))
        np.testing.assert_allclose(found, weights, atol=1e-5)
    without = np.asarray(attention(inputs))
    np.testing.assert_allclose(without, attention(inputs, mask), atol=1e-6)


@pytest.mark.parametrize("length", [1023, 1024, 1025])
def test_1024_tokens_have_blocks_of_their_own(length):
    attention, inputs = make_attention(), states(length)
    mask = padded(length)
    drawn = draw_blocks(1, 2, 275, _NUM_RANDOM)
    if length <= 1024:  # Both have the same length with padding.
        drawn = draw_early_blocks(1, 2, 275, _NUM_RANDOM, _SIZE)
    expected, _ = expected_output(attention, inputs, mask, drawn)
    found = np.asarray(attention(inputs, mask))
    np.testing.assert_allclose(found[mask > 0], expected[mask > 0], atol=1e-5)


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


def test_drawn_blocks_are_neither_near_nor_global():
    drawn = draw_blocks(3, 2, 40, 3)
    assert drawn.shape == (2, 38, 3)
    assert drawn.min() > 0 and drawn.max() < 2 * 3 + 5 - 1
    rows = np.arange(1, 39)[None, :, None]
    assert (np.abs(drawn - rows) > 1).all()
    assert (np.sort(drawn)[..., 1:] > np.sort(drawn)[..., :-1]).all()
    early = draw_early_blocks(3, 2, 64, 3, 64)
    assert early.min() > 0 and early.max() == 15
    short = draw_blocks(3, 2, 20, 3)
    np.testing.assert_array_equal(short, drawn[:, :18])
    assert (drawn != draw_blocks(4, 2, 40, 3)).any()


def test_a_length_may_be_known_at_run_time_only():
    attention = make_attention()
    spec = tf.TensorSpec((None, None, 8)), tf.TensorSpec((None, None), tf.int32)
    function = tf.function(attention, input_signature=spec)
    for length in (20, *_LENGTHS, 1024):
        mask = padded(length)
        found = function(states(length), mask).numpy()
        expected = attention(states(length), mask).numpy()
        np.testing.assert_allclose(
            found[mask > 0], expected[mask > 0], atol=1e-5
        )


def test_some_queries_get_the_outputs_of_all():
    attention, mask = make_attention(), padded(101)
    positions = np.array([[0, 7, 60], [100, 50, 30]], "int32")
    found = attention(states(101), mask, positions)
    every = np.asarray(attention(states(101), mask))
    expected = np.take_along_axis(every, positions[..., None], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_gradients_are_those_of_the_weights():
    attention, mask = make_attention(), padded(101)
    inputs = tf.constant(states(101))
    factors = np.random.default_rng(2).normal(size=(2, 101, 8))
    factors = (factors * mask[..., None]).astype("float32")

    def dense(inputs):
        weights = attention.attention_weights(inputs, mask)
        *_, value = attention.heads(attention.query_key_value(inputs))
        return attention.attention_output(attention.join(weights @ value))

    gradients = []
    for function in (lambda x: attention(x, mask), dense):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = tf.reduce_sum(function(inputs) * factors)
        variables = [v.value for v in attention.trainable_variables]
        gradients.append(tape.gradient(loss, [inputs, *variables]))
    for found, expected in zip(*gradients, strict=True):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, atol=1e-5 * scale)


def test_no_tensor_has_two_axes_of_the_length():
    attention = make_attention()

    def step(inputs, mask):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = attention(inputs, mask, training=True)
        return tape.gradient(outputs, inputs)

    graph = tf.function(step).get_concrete_function(
        tf.TensorSpec((2, _LENGTH, 8)), tf.TensorSpec((2, _LENGTH), tf.int32)
    )
    shapes = [
        tuple(tensor.shape)
        for operation in graph.graph.get_operations()
        for tensor in operation.outputs
    ]
    num_blocks = -(-_LENGTH // _SIZE)
    assert any(_LENGTH in shape for shape in shapes)
    for shape in shapes:
        long = [size for size in shape if (size or 0) >= num_blocks - 2]
        assert len(long) < 2, shape


def test_rows_in_bfloat16_are_nearly_the_same():
    inputs, mask = states(101), padded(101)
    rough = make_attention(dtype="mixed_bfloat16")(inputs, mask)
    assert rough.dtype == tf.bfloat16
    found, exact = np.asarray(rough), np.asarray(make_attention()(inputs, mask))
    found, exact = found[mask > 0].astype("float32"), exact[mask > 0]
    np.testing.assert_allclose(found, exact, rtol=0.02, atol=0.1)


def test_operations_grow_linearly():
    attention = make_attention(max_positions=10**6)
    counts = [attention.flops(n, n) for n in (4000, 8000, 16000)]
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])
    full = super(BlockSparseAttention, attention).flops
    assert attention.flops(_FULL, 3) == full(_FULL, 3)
    assert attention.flops(400, 400) < full(400, 400)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"block_size": 0}, "`block_size` must be an integer, at least 1.*=0"),
        ({"block_size": 2.5}, "`block_size` must be an integer.*=2.5"),
        ({"num_random_blocks": 0}, "`num_random_blocks` must be an int.*=0"),
        ({"random_blocks": "all"}, "one of published, transf.*='all'"),
        ({"max_positions": 0}, "`max_positions` must be an integer.*=0"),
        ({"seed": -1}, "`seed` must be an integer, at least 0.*=-1"),
    ],
)
def test_wrong_arguments_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        BlockSparseAttention(8, 2, **arguments)


def test_rows_that_it_cannot_compute_are_errors():
    with pytest.raises(ValueError, match="from 1 to 100. .*seq_length=101"):
        make_attention(max_positions=100)(states(101))
    numbers = {"text_numbers": np.ones((2, 20), "int32")}
    with pytest.raises(ValueError, match="Packed sequences are not supp"):
        make_attention()(states(20), None, None, numbers)


def test_weights_of_long_rows_in_mixed_precision():
    attention, inputs = make_attention(), states(101)
    expected = np.asarray(attention.attention_weights(inputs))
    attention = BlockSparseAttention.from_config(
        {**attention.get_config(), "dtype": "mixed_bfloat16"}
    )
    attention.build(inputs.shape)
    found = attention.attention_weights(tf.cast(inputs, "bfloat16"))
    assert found.shape == expected.shape
    np.testing.assert_allclose(
        np.asarray(found, "float32").sum(-1), 1, atol=0.05
    )
