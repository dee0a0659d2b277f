import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import Rotary
from keras_bert.layers import SelfAttention
from keras_bert.layers import causal
from keras_bert.layers import query_chunks
from keras_bert.layers.attention import softmax

_LENGTH = 600
_LONG = 2048


def make_attention(**arguments):
    attention = SelfAttention(8, 2, rotary=Rotary(), **arguments)
    attention.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in attention.weights:
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    return attention


def inputs_and_context():
    """Return two rows; the second one has padding and three texts."""
    random = np.random.default_rng(0)
    states = random.normal(size=(2, _LENGTH, 8)).astype("float32")
    lengths = [[_LENGTH], [200, 300, 50]]
    context = {
        name: np.zeros((2, _LENGTH), "int32")
        for name in ("text_numbers", "positions")
    }
    for row, several in enumerate(lengths):
        numbers = np.repeat(np.arange(len(several)) + 1, several)
        places = np.concatenate([np.arange(length) for length in several])
        context["text_numbers"][row, : len(numbers)] = numbers
        context["positions"][row, : len(places)] = places
    return states, (context["text_numbers"] > 0).astype("int32"), context


def outputs_and_gradients(attention, has_context):
    states, mask, context = inputs_and_context()
    states = tf.constant(states)
    with tf.GradientTape() as tape:
        tape.watch(states)
        outputs = attention(
            states,
            mask,
            context=context if has_context else None,
            training=True,
        )
        outputs = tf.cast(outputs, "float32")
        wanted = tf.stack([tf.sin(states), tf.cos(states)])
        loss = tf.reduce_sum(outputs * mask[:, :, None] * wanted[0])
    gradients = tape.gradient(loss, [states, *attention.trainable_variables])
    return [outputs * mask[:, :, None], *gradients]


@pytest.mark.parametrize("has_context", [False, True])
@pytest.mark.parametrize("pattern", [None, causal])
def test_chunks_give_what_all_at_once_gives(has_context, pattern, monkeypatch):
    attention = make_attention(pattern=pattern, dropout=0.0)
    found = outputs_and_gradients(attention, has_context)
    monkeypatch.setattr(query_chunks, "_LONGEST_WHOLE", _LENGTH)
    expected = outputs_and_gradients(attention, has_context)
    for left, right in zip(found, expected, strict=True):
        scale = np.abs(right).max()
        np.testing.assert_allclose(left, right, atol=1e-6 * max(scale, 1.0))


def test_bfloat16_is_as_exact(monkeypatch):
    exact = make_attention(dropout=0.0)
    narrow = make_attention(dropout=0.0, dtype="mixed_bfloat16")
    wanted = outputs_and_gradients(exact, True)
    in_chunks = outputs_and_gradients(narrow, True)
    monkeypatch.setattr(query_chunks, "_LONGEST_WHOLE", _LENGTH)
    of_all = outputs_and_gradients(narrow, True)
    for chunks, whole, right in zip(in_chunks, of_all, wanted, strict=True):
        errors = [np.linalg.norm(x - right) for x in (chunks, whole)]
        assert errors[0] <= 1.1 * errors[1]


def test_no_tensor_has_the_weights_of_all_queries(monkeypatch):
    found = numbers_of_queries(make_attention(dropout=0.0), monkeypatch)
    assert found and max(found) == query_chunks._NUM_QUERIES
    found = numbers_of_queries(make_attention(dropout=0.1), monkeypatch)
    assert max(found) == _LONG


def numbers_of_queries(attention, monkeypatch):
    """Return the number of queries of each softmax of a training step."""
    numbers = []

    def recorded(scores, *arguments):
        numbers.append(scores.shape[2])
        return softmax(scores, *arguments)

    monkeypatch.setattr(query_chunks, "softmax", recorded)
    monkeypatch.setattr("keras_bert.layers.attention.softmax", recorded)
    with tf.GradientTape() as tape:
        outputs = attention(
            tf.ones((1, _LONG, 8)), tf.ones((1, _LONG), tf.int32), training=True
        )
    tape.gradient(outputs, attention.trainable_variables)
    return numbers


def test_rows_of_up_to_512_tokens_stay_whole(monkeypatch):
    monkeypatch.setattr(
        "keras_bert.layers.self_attention.attend_in_chunks", None
    )
    make_attention(dropout=0.0)(keras.ops.ones((1, 512, 8)))
