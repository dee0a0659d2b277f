import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import Rotary
from keras_bert.layers import SelfAttention
from keras_bert.layers import Window
from keras_bert.layers.attention import query_chunks
from tests.layers import rows

_LENGTH = 1024
_REACH = 64


@keras.saving.register_keras_serializable("near_attention_test")
def near(query_positions, key_positions):
    """Return the same window without its reach."""
    return Window(_REACH)(query_positions, key_positions)


def make_pair():
    """Return attention in blocks and equal attention over all pairs."""
    return [
        rows.widened(SelfAttention(8, 2, 0.0, pattern=x, rotary=Rotary()))
        for x in (Window(_REACH), near)
    ]


@pytest.mark.parametrize("length", [513, 640, 1023])
def test_blocks_give_what_all_pairs_give(length):
    inputs, mask = rows.states(length), rows.padded(length)
    found, expected = (x(inputs, mask).numpy() for x in make_pair())
    rows.assert_close([found[mask > 0]], [expected[mask > 0]])
    rows.assert_close(*([attend(inputs)] for attend in make_pair()))


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
    in_blocks, of_all = make_pair()
    inputs = rows.states(_LENGTH)
    before = in_blocks(inputs, mask, context=context).numpy()
    expected = of_all(inputs, mask, context=context).numpy()
    rows.assert_close([before[mask > 0]], [expected[mask > 0]])
    inputs[:, 301:371] += 1.0
    after = in_blocks(inputs, mask, context=context).numpy()
    moved = np.abs(before - after).max(axis=(0, 2)) > 0
    np.testing.assert_array_equal(moved, text == 3)


def test_gradients_are_those_of_all_pairs():
    mask = rows.padded(_LENGTH)
    found, expected = (
        rows.outputs_and_gradients(
            functools.partial(attend, attention_mask=mask),
            attend.trainable_variables,
            mask,
        )
        for attend in make_pair()
    )
    rows.assert_close(found, expected)


def test_a_length_may_be_known_at_run_time_only():
    in_blocks, of_all = make_pair()
    spec = tf.TensorSpec((None, None, 8)), tf.TensorSpec((None, None), tf.int32)
    function = tf.function(in_blocks, input_signature=spec)
    for length in (200, 700):
        inputs, mask = rows.states(length), rows.padded(length)
        found, expected = function(inputs, mask), of_all(inputs, mask)
        rows.assert_close([found[mask > 0]], [expected[mask > 0]])


def test_no_tensor_has_two_axes_of_the_length(monkeypatch):
    monkeypatch.setattr(query_chunks, "_LONGEST_WHOLE", _LENGTH)
    in_blocks, of_all = make_pair()
    assert num_squares(in_blocks) == 0
    assert num_squares(of_all) > 0


def num_squares(attention):
    shapes = rows.tensor_shapes(attention, _LENGTH)
    return sum(sum((n or 0) >= _LENGTH for n in x) > 1 for x in shapes)


def test_operations_are_those_of_blocks():
    in_blocks, of_all = make_pair()
    assert in_blocks.flops(512, 512) == of_all.flops(512, 512)
    saved = of_all.flops(_LENGTH, _LENGTH) - in_blocks.flops(_LENGTH, _LENGTH)
    assert saved == 4 * 8 * _LENGTH * (_LENGTH - 3 * _REACH)
    assert in_blocks.flops(_LENGTH, 3) == of_all.flops(_LENGTH, 3)
