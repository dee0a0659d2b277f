import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import Rotary
from keras_bert.layers import SelfAttention
from keras_bert.layers import causal
from keras_bert.layers.attention import query_chunks
from keras_bert.layers.attention.attention import softmax
from tests.layers import rows

_LENGTH = 600
_LONG = 2048
# The second row has padding and three texts.
_LENGTHS = [[_LENGTH], [200, 300, 50]]


def make_attention(**arguments):
    return rows.widened(SelfAttention(8, 2, rotary=Rotary(), **arguments))


def make_context():
    context = np.zeros((2, 2, _LENGTH), "int32")
    for row, lengths in enumerate(_LENGTHS):
        stop = sum(lengths)
        context[0, row, :stop] = np.repeat([1, 2, 3][: len(lengths)], lengths)
        context[1, row, :stop] = np.concatenate([*map(np.arange, lengths)])
    return dict(zip(("text_numbers", "positions"), context, strict=True))


def outputs_and_gradients(attention, has_context):
    context = make_context()
    mask = (context["text_numbers"] > 0).astype("int32")
    call = functools.partial(
        attention,
        attention_mask=mask,
        context=context if has_context else None,
        training=True,
    )
    weights = attention.trainable_variables
    return rows.outputs_and_gradients(call, weights, mask)


@pytest.mark.parametrize("has_context", [False, True])
@pytest.mark.parametrize("pattern", [None, causal])
def test_chunks_give_what_all_at_once_gives(has_context, pattern, monkeypatch):
    attention = make_attention(pattern=pattern, dropout=0.0)
    found = outputs_and_gradients(attention, has_context)
    monkeypatch.setattr(query_chunks, "_LONGEST_WHOLE", _LENGTH)
    expected = outputs_and_gradients(attention, has_context)
    rows.assert_close(found, expected, 1e-6)


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
    monkeypatch.setattr(
        "keras_bert.layers.attention.attention.softmax", recorded
    )
    with tf.GradientTape() as tape:
        outputs = attention(tf.ones((1, _LONG, 8)), training=True)
    tape.gradient(outputs, attention.trainable_variables)
    return numbers


def test_rows_of_up_to_512_tokens_stay_whole(monkeypatch):
    monkeypatch.setattr(
        "keras_bert.layers.attention.self_attention.attend_in_chunks", None
    )
    make_attention(dropout=0.0)(keras.ops.ones((1, 512, 8)))
