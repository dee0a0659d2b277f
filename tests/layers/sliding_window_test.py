"""Sliding-window attention with global tokens, in blocks and graphs."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import GlobalTokens
from keras_bert.layers import SlidingWindowAttention
from keras_bert.layers.attention import self_attention
from keras_bert.layers.attention.attention import AttentionContext
from tests.layers import rows

_WINDOW = 8
_LENGTHS = [_WINDOW - 1, _WINDOW, _WINDOW + 1, 2 * _WINDOW + 3]
_LONG = 1031  # A size that differs from all others.


def make_attention(window=_WINDOW):
    return rows.widened(SlidingWindowAttention(8, 2, window, dropout=0.0))


def make_inputs(length, num_globals):
    """Return states, a mask with padding, and a mask of global tokens."""
    mask, is_global = np.ones((2, 2, length), "int32")
    mask[1, length // 2 + 1 :] = 0
    is_global[:] = 0
    # The first and last token, and one in the window of another.
    for row, end in enumerate(mask.sum(axis=1)):
        is_global[row, [0, end - 1, 2][:num_globals]] = 1
    return rows.states(length), mask, is_global


def chosen_of(is_global, mask, max_tokens=4):
    return {"global_tokens": GlobalTokens(max_tokens)(is_global, mask)}


def compute_in_blocks(monkeypatch):
    monkeypatch.setattr(self_attention, "uses_blocks", lambda *_: True)


@pytest.mark.parametrize("num_globals", [0, 1, 3])
@pytest.mark.parametrize("length", _LENGTHS)
def test_blocks_and_queries_give_what_all_pairs_give(
    length, num_globals, monkeypatch
):
    attention = make_attention()
    states, mask, is_global = make_inputs(length, num_globals)
    context = chosen_of(is_global, mask) if num_globals else None
    expected = np.asarray(attention(states, mask, context=context))
    positions = np.array([[0, 1, length // 2], [0, 0, 1]], "int32")
    some = attention(states, mask, positions, context)
    at = np.take_along_axis(expected, positions[..., None], axis=1)
    np.testing.assert_allclose(some, at, atol=1e-5)
    compute_in_blocks(monkeypatch)
    found = np.asarray(attention(states, mask, context=context))
    np.testing.assert_allclose(found[mask > 0], expected[mask > 0], atol=1e-5)


@pytest.fixture(params=["all pairs", "blocks"])
def attention(request, monkeypatch):
    if request.param == "blocks":
        compute_in_blocks(monkeypatch)
    return make_attention()


def test_attention_weights_give_the_output(attention):
    states, mask, is_global = make_inputs(19, 3)
    context = chosen_of(is_global, mask)
    weights = np.asarray(attention.attention_weights(states, mask, context))
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=1e-5)
    assert not weights[1, :, :, 10:].any()
    row, column = 6, 15  # Neither global nor close to each other.
    assert not weights[0, :, row, column].any()
    assert weights[0, :, row, 0].all() and weights[0, :, 0, column].all()
    heads = attention.project(
        tf.constant(states), AttentionContext(mask, **context)
    )
    found = attention.attend(heads, AttentionContext(mask, **context))
    local = weights @ np.asarray(heads[2])
    overall = weights @ np.asarray(heads[5])
    expected = np.where(is_global[:, None, :, None], overall, local)
    real = np.broadcast_to(mask[:, None] > 0, expected.shape[:3])
    np.testing.assert_allclose(found[real], expected[real], atol=1e-5)


@pytest.mark.parametrize("num_globals", [0, 3])
def test_a_length_may_be_known_at_run_time_only(num_globals):
    attention = make_attention(64)

    @tf.function(
        input_signature=[
            tf.TensorSpec((None, None, 8)),
            *[tf.TensorSpec((None, None), tf.int32)] * 2,
        ]
    )
    def function(states, mask, is_global):
        context = chosen_of(is_global, mask) if num_globals else None
        return attention(states, mask, context=context)

    for length in (200, _LONG):
        states, mask, is_global = make_inputs(length, num_globals)
        found = function(states, mask, is_global)
        context = chosen_of(is_global, mask) if num_globals else None
        expected = np.asarray(attention(states, mask, context=context))
        real = mask > 0
        np.testing.assert_allclose(found[real], expected[real], atol=1e-5)


@pytest.mark.parametrize("num_globals", [0, 3])
def test_no_tensor_has_two_axes_of_the_length(num_globals):
    attention = make_attention(64)

    def call(states, mask):
        context = chosen_of(mask[:, ::-1], mask) if num_globals else None
        return attention(states, mask, context=context, training=True)

    for shape in rows.tensor_shapes(call, _LONG):
        assert sum((n or 0) >= _LONG for n in shape) < 2, shape


def test_every_projection_learns_with_global_tokens_only():
    states, mask, is_global = make_inputs(19, 3)
    attention = make_attention()
    for context in (None, chosen_of(is_global, mask)):
        with tf.GradientTape() as tape:
            outputs = attention(states, mask, context=context)
        gradients = tape.gradient(outputs, attention.trainable_variables)
        unused = {
            weight.path.split("/")[-2]
            for weight, x in zip(attention.trainable_variables, gradients)
            if x is None
        }
        names = {"global_query", "global_key", "global_value"}
        assert unused == (set() if context else names)


def test_later_global_tokens_than_there_is_room_for_are_local():
    mask = np.ones((1, 6), "int32")
    chosen = GlobalTokens(2)(np.array([[0, 1, 0, 1, 1, 0]]), mask)
    expected = [[[0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]]]
    assert chosen.numpy().tolist() == expected
    symbolic = GlobalTokens(2)(*[keras.Input((None,), dtype="int32")] * 2)
    assert symbolic.shape == (None, 2, None)


def test_padding_is_no_global_token_in_a_graph():
    mask = tf.constant([[1, 1, 1, 1], [1, 1, 0, 0]])
    is_global = tf.constant([[1, 0, 0, 0], [1, 0, 0, 1]])
    chosen = tf.function(GlobalTokens(2))(is_global, mask)
    assert chosen.numpy().sum(axis=2).tolist() == [[1, 0], [1, 0]]
