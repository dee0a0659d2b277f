import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import Rotary
from keras_bert.layers import SelfAttention
from keras_bert.layers import Window
from keras_bert.layers import query_chunks

_LENGTH = 1024
_REACH = 64


@keras.saving.register_keras_serializable("near_attention_test")
def near(query_positions, key_positions):
    """Return the same window without its reach."""
    return Window(_REACH)(query_positions, key_positions)


def make_pair(**arguments):
    """Return attention in blocks and equal attention over all pairs."""
    pair = []
    for pattern in (Window(_REACH), near):
        attention = SelfAttention(
            8, 2, dropout=0.0, pattern=pattern, rotary=Rotary(), **arguments
        )
        attention.build((None, None, 8))
        random = np.random.default_rng(1)
        for weight in attention.weights:
            weight.assign(random.normal(0.0, 0.3, weight.shape))
        pair.append(attention)
    return pair


def states(length=_LENGTH):
    random = np.random.default_rng(0)
    return random.normal(size=(2, length, 8)).astype("float32")


def padded(length):
    """Return a mask, one row padded on the right and one on the left."""
    mask = np.ones((2, length), "int32")
    mask[0, -100:] = mask[1, :70] = 0
    return mask


def assert_same(pair, inputs, mask=None, context=None):
    found, expected = (
        np.asarray(layer(inputs, mask, context=context)) for layer in pair
    )
    tokens = np.ones(inputs.shape[:2]) if mask is None else mask
    np.testing.assert_allclose(
        found[tokens > 0], expected[tokens > 0], rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("length", [513, 576, 640, 1023, 1024])
def test_blocks_give_what_all_pairs_give(length):
    pair = make_pair()
    assert_same(pair, states(length))
    assert_same(pair, states(length), padded(length))


def test_texts_of_a_row_do_not_see_each_other():
    lengths = 300, 1, 70, 400, 153
    text = np.repeat([1, 2, 3, 4, 0], [*lengths[:4], 253])
    position = np.concatenate([np.arange(length) for length in lengths])
    position = np.pad(position, (0, _LENGTH - len(position)))
    context = {
        name: np.stack([x, x]).astype("int32")
        for name, x in (("text_numbers", text), ("positions", position))
    }
    mask = (context["text_numbers"] > 0).astype("int32")
    pair = make_pair()
    assert_same(pair, states(), mask, context)
    changed = states()
    changed[:, 301:371] += 1.0
    before, after = (
        np.asarray(pair[0](x, mask, context=context))
        for x in (states(), changed)
    )
    moved = np.abs(before - after).max(axis=(0, 2)) > 0
    np.testing.assert_array_equal(moved, text == 3)


def test_gradients_are_those_of_all_pairs():
    inputs, mask = tf.constant(states()), padded(_LENGTH)
    factors = np.random.default_rng(2).normal(size=inputs.shape)
    factors = (factors * mask[:, :, None]).astype("float32")
    gradients = []
    for attention in make_pair():
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = tf.reduce_sum(attention(inputs, mask) * factors)
        gradients.append(
            tape.gradient(loss, [inputs, *attention.trainable_variables])
        )
    for found, expected in zip(*gradients, strict=True):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, atol=1e-5 * scale)


def test_a_length_may_be_known_at_run_time_only():
    in_blocks, of_all = make_pair()
    spec = tf.TensorSpec((None, None, 8)), tf.TensorSpec((None, None), tf.int32)
    function = tf.function(in_blocks, input_signature=spec)
    for length in (200, 700):
        mask = padded(length)
        found = function(states(length), mask)
        expected = np.asarray(of_all(states(length), mask))
        np.testing.assert_allclose(
            found[mask > 0], expected[mask > 0], rtol=1e-5, atol=1e-5
        )


def test_no_tensor_has_two_axes_of_the_length(monkeypatch):
    monkeypatch.setattr(query_chunks, "_LONGEST_WHOLE", _LENGTH)
    in_blocks, of_all = make_pair()
    assert not tensors_of_all_pairs(in_blocks)
    assert tensors_of_all_pairs(of_all)


def tensors_of_all_pairs(attention):
    """Return the tensors of a training step with two axes of the row length."""

    def step(inputs, mask):
        with tf.GradientTape() as tape:
            outputs = attention(inputs, mask, training=True)
        return tape.gradient(outputs, attention.trainable_variables)

    graph = tf.function(step).get_concrete_function(
        tf.TensorSpec((2, _LENGTH, 8)), tf.TensorSpec((2, _LENGTH), tf.int32)
    )
    return [
        tensor
        for operation in graph.graph.get_operations()
        for tensor in operation.outputs
        if sum((size or 0) >= _LENGTH for size in tensor.shape) > 1
    ]


def test_operations_are_those_of_blocks():
    in_blocks, of_all = make_pair()
    assert in_blocks.flops(512, 512) == of_all.flops(512, 512)
    saved = of_all.flops(_LENGTH, _LENGTH) - in_blocks.flops(_LENGTH, _LENGTH)
    assert saved == 4 * 8 * _LENGTH * (_LENGTH - 3 * _REACH)
    assert in_blocks.flops(_LENGTH, 3) == of_all.flops(_LENGTH, 3)
