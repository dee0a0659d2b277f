"""Sliding-window attention with global tokens, against NumPy."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import GlobalTokens
from keras_bert.layers import SlidingWindowAttention
from keras_bert.layers import self_attention
from keras_bert.layers.attention import AttentionContext

_WINDOW = 8
_LENGTHS = [_WINDOW - 1, _WINDOW, _WINDOW + 1, 2 * _WINDOW + 3]
_LONG = 1031  # A size that differs from all others.


def make_attention(window=_WINDOW, **arguments):
    attention = SlidingWindowAttention(8, 2, window, dropout=0.0, **arguments)
    attention.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in attention.weights:
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    return attention


def make_inputs(length, num_globals, seed=0):
    """Return states, a mask with padding, and a mask of global tokens."""
    random = np.random.default_rng(seed)
    states = random.normal(size=(2, length, 8)).astype("float32")
    mask, is_global = np.ones((2, 2, length), "int32")
    mask[1, length // 2 + 1 :] = 0
    is_global[:] = 0
    # The first and last token, and one in the window of another.
    for row, end in enumerate(mask.sum(axis=1)):
        is_global[row, [0, end - 1, 2][:num_globals]] = 1
    return states, mask, is_global


def chosen_of(is_global, mask, max_tokens=4):
    return {"global_tokens": GlobalTokens(max_tokens)(is_global, mask)}


def twin(attention, states, mask, is_global):
    """Compute the attention with all pairs, in float64."""
    weights = {w.path: np.float64(w) for w in attention.weights}

    def dense(name, inputs):
        kernel, bias = (
            next(x for path, x in weights.items() if path.endswith(end))
            for end in (f"/{name}/kernel", f"/{name}/bias")
        )
        return inputs @ kernel + bias

    def heads(vectors):
        shape = *vectors.shape[:2], attention.num_heads, attention.head_size
        return vectors.reshape(shape).transpose(0, 2, 1, 3)

    def attend(query, key, value, seen):
        scores = query @ key.swapaxes(-1, -2) * attention.head_size**-0.5
        scores = np.where(seen[:, None], scores, -np.inf)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return scores / scores.sum(axis=-1, keepdims=True) @ value

    local = np.split(dense("query_key_value", np.float64(states)), 3, axis=-1)
    overall = [
        dense(f"global_{name}", np.float64(states))
        for name in ("query", "key", "value")
    ]
    places = np.arange(states.shape[1])
    near = np.abs(places[:, None] - places) <= attention.window // 2
    near = near | (is_global[:, None] > 0)
    real = np.broadcast_to(mask[:, None] > 0, near.shape)
    near = near & real | np.eye(len(places), dtype=bool)
    attended = np.where(
        is_global[:, None, :, None] > 0,
        attend(*map(heads, overall), real),
        attend(*map(heads, local), near),
    )
    joined = attended.transpose(0, 2, 1, 3).reshape(states.shape)
    return dense("attention_output", joined)


@pytest.fixture(params=["all pairs", "blocks"])
def attention(request, monkeypatch):
    if request.param == "blocks":
        monkeypatch.setattr(self_attention, "uses_blocks", lambda *_: True)
    return make_attention()


@pytest.mark.parametrize("num_globals", [0, 1, 3])
@pytest.mark.parametrize("length", _LENGTHS)
def test_outputs_are_those_of_the_twin(length, num_globals, attention):
    states, mask, is_global = make_inputs(length, num_globals)
    context = chosen_of(is_global, mask) if num_globals else None
    found = np.asarray(attention(states, mask, context=context))
    expected = twin(attention, states, mask, is_global)
    real = mask > 0
    np.testing.assert_allclose(found[real], expected[real], atol=1e-5)
    positions = np.array([[0, 1, length // 2], [0, 0, 1]], "int32")
    some = attention(states, mask, positions, context)
    at = np.take_along_axis(expected, positions[..., None], axis=1)
    np.testing.assert_allclose(some, at, atol=1e-5)


def test_a_mask_without_global_tokens_changes_nothing(attention):
    states, mask, is_global = make_inputs(19, 0)
    expected = attention(states, mask)
    found = attention(states, mask, context=chosen_of(is_global, mask))
    real = mask > 0
    np.testing.assert_allclose(found[real], expected[real], atol=1e-6)


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
        expected = twin(attention, states, mask, is_global)
        real = mask > 0
        np.testing.assert_allclose(found[real], expected[real], atol=1e-5)


@pytest.mark.parametrize("num_globals", [0, 3])
def test_no_tensor_has_two_axes_of_the_length(num_globals):
    attention = make_attention(64)

    def step(states, mask, is_global):
        with tf.GradientTape() as tape:
            context = chosen_of(is_global, mask) if num_globals else None
            outputs = attention(states, mask, context=context, training=True)
        return tape.gradient(outputs, attention.trainable_variables)

    specs = tf.TensorSpec((2, _LONG), tf.int32)
    graph = tf.function(step).get_concrete_function(
        tf.TensorSpec((2, _LONG, 8)), specs, specs
    )
    shapes = [
        output.shape
        for operation in graph.graph.get_operations()
        for output in operation.outputs
    ]
    assert any(_LONG in shape for shape in shapes)
    squares = [x for x in shapes if sum((n or 0) >= _LONG for n in x) > 1]
    assert not squares


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


@pytest.mark.parametrize("traced", [False, True])
def test_padding_is_no_global_token(traced):
    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], "int32")
    is_global = np.array([[1, 0, 0, 0], [1, 0, 0, 1]], "int32")
    layer = GlobalTokens(2)
    if traced:
        chosen = tf.function(layer)(tf.constant(is_global), tf.constant(mask))
        assert chosen.numpy().sum(axis=2).tolist() == [[1, 0], [1, 0]]
        return
    with pytest.raises(ValueError, match="not be padding.*position 3 of row 1"):
        layer(is_global, mask)


def test_packed_rows_have_no_global_tokens(attention):
    states, mask, is_global = make_inputs(9, 1)
    context = chosen_of(is_global, mask)
    with pytest.raises(ValueError, match="Packed sequences cannot have global"):
        attention(states, context={**context, "text_numbers": mask})
