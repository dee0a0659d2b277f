"""Disentangled attention, the relative embeddings and the convolved block."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import ConvolvedBlock
from keras_bert.layers import DisentangledAttention
from keras_bert.layers import FeedForward
from keras_bert.layers import LayerNorm
from keras_bert.layers import PostNormBlock
from keras_bert.layers import RelativeTable
from keras_bert.layers import SelfAttention
from keras_bert.layers import SeparateDisentangledAttention
from keras_bert.layers.disentangled_attention import relative_rows

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")
_CONTEXT = {"relative_table": _RANDOM.normal(size=(8, 8)).astype("float32")}


def _arguments():
    return {
        **{"hidden_size": 8, "num_heads": 2, "dropout": 0.0},
        **{"num_buckets": 4, "max_distance": 16},
        "kernel_initializer": keras.initializers.RandomNormal(
            stddev=0.5, seed=0
        ),
    }


def _widened(layer, *inputs, **told):
    """Redraw every weight."""
    layer(*inputs, **told)
    random = np.random.default_rng(1)
    layer.set_weights([random.normal(size=w.shape) for w in layer.weights])
    return layer


def test_quantized_attention_stays_close():
    layer = DisentangledAttention(**_arguments())
    layer = _widened(layer, _INPUTS, _MASK, context=_CONTEXT)
    before = layer(_INPUTS, _MASK, context=_CONTEXT).numpy()
    layer.query_key_value.quantize("int8")
    after = layer(_INPUTS, _MASK, context=_CONTEXT).numpy()
    error = np.abs(after - before).max()
    assert 0 < error < 0.05 * np.abs(before).max()


def _separate_arguments():
    arguments = {**_arguments(), "max_distance": 4}
    del arguments["num_buckets"]
    return arguments


def test_a_table_is_normalized_whatever_is_read():
    layer_norm = LayerNorm(dtype="float32", name="layer_norm")
    table = RelativeTable(6, 8, layer_norm, dtype="mixed_bfloat16")
    found = table(np.zeros((2, 5), "int32"))
    assert keras.backend.standardize_dtype(found.dtype) == "bfloat16"
    expected = layer_norm(np.asarray(table.relative_embeddings))
    np.testing.assert_allclose(
        keras.ops.cast(found, "float32"), expected, atol=1e-2
    )
    symbolic = table(keras.Input((None,), dtype="int32"))
    assert symbolic.shape == found.shape == (6, 8)
    assert [w.name for w in table.weights] == [
        *("relative_embeddings", "gamma", "beta"),
    ]
    again = RelativeTable.from_config(table.get_config())
    again(np.zeros((2, 5), "int32"))
    assert again.get_config() == table.get_config()


def _pieces():
    return {
        "self_attention": SelfAttention(8, 2, 0.0, name="self_attention"),
        "feed_forward": FeedForward(8, 16, dropout=0.0, name="feed_forward"),
        "kernel_size": 3,
    }


def _shared():
    attention = _widened(
        DisentangledAttention(**_arguments()), _INPUTS, context=_CONTEXT
    )
    kernel, bias = (np.asarray(x) for x in attention.query_key_value.weights)
    table = _CONTEXT["relative_table"]
    of_table = np.split(table @ kernel + bias, 3, axis=-1)
    rows = relative_rows(4, 16)
    return attention, (kernel, bias), of_table, lambda d: rows[16 + d]


def _separate():
    attention = _widened(
        SeparateDisentangledAttention(**_separate_arguments()),
        _INPUTS,
        context=_CONTEXT,
    )
    own = {w.path.partition("/")[2]: np.asarray(w) for w in attention.weights}
    no_bias = np.zeros(8)
    bias = np.concatenate([own["query_bias"], no_bias, own["value_bias"]])
    table = _CONTEXT["relative_table"]
    of_table = [
        table @ own["table_query/kernel"] + own["table_query/bias"],
        table @ own["table_key/kernel"],
    ]
    dense = own["query_key_value/kernel"], bias
    return attention, dense, of_table, lambda d: min(max(4 + d, 0), 7)


@pytest.mark.parametrize("make", [_shared, _separate])
def test_a_pair_scores_content_and_both_sides_of_its_distance(make):
    attention, (kernel, bias), (far_query, far_key, *_), row_of = make()
    found = attention.attention_weights(_INPUTS, _MASK, _CONTEXT)
    for text in range(2):
        query, key, _ = np.split(_INPUTS[text] @ kernel + bias, 3, axis=-1)
        for head in (slice(0, 4), slice(4, 8)):
            scores = np.full((5, 5), -np.inf)
            for i in range(5):
                for j in np.flatnonzero(_MASK[text]):
                    row = row_of(i - j)
                    scores[i, j] = (
                        query[i, head] @ key[j, head]
                        + query[i, head] @ far_key[row, head]
                        + key[j, head] @ far_query[row, head]
                    ) / np.sqrt(3 * 4)
            expected = np.exp(scores - scores.max(axis=1, keepdims=True))
            expected /= expected.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(
                found[text, head.start // 4], expected, atol=1e-5
            )


def test_a_few_positions_are_as_among_all():
    attention = _widened(
        DisentangledAttention(**_arguments()), _INPUTS, context=_CONTEXT
    )
    whole = np.asarray(attention(_INPUTS, _MASK, context=_CONTEXT))
    positions = np.array([[0, 3], [2, 1]], "int32")
    some = attention(_INPUTS, _MASK, positions, _CONTEXT)
    expected = np.take_along_axis(whole, positions[..., np.newaxis], axis=1)
    np.testing.assert_allclose(some, expected, atol=1e-6)


def test_padding_changes_nothing():
    attention = _widened(
        DisentangledAttention(**_arguments()), _INPUTS, context=_CONTEXT
    )
    whole = np.asarray(attention(_INPUTS, _MASK, context=_CONTEXT))
    alone = attention(_INPUTS[1:, :3], context=_CONTEXT)
    np.testing.assert_allclose(whole[1:, :3], alone, atol=1e-5)


def test_no_pair_of_tokens_has_a_vector():
    """Check that no tensor has a vector for each pair of tokens."""
    attention = DisentangledAttention(32, 1, 4, 16)
    context = {"relative_table": tf.ones((8, 32))}
    inputs = tf.ones((1, 64, 32))
    attention(inputs, context=context)
    traced = tf.function(lambda x: attention(x, context=context))
    graph = traced.get_concrete_function(inputs).graph
    shapes = [
        tensor.shape
        for operation in graph.get_operations()
        for tensor in operation.outputs
        if tensor.shape.rank is not None and None not in tensor.shape
    ]
    sizes = [np.prod(shape, dtype=int) for shape in shapes]
    assert max(sizes) <= 2 * 64 * 64


def test_rows_are_those_of_the_published_buckets():
    rows = relative_rows(256, 512)
    found = {d: rows[512 + d] - 256 for d in range(-512, 513)}
    assert [found[d] for d in (0, 1, -1, 127, 128)] == [0, 1, -1, 127, 128]
    assert [found[d] for d in (129, 130, 131, -129)] == [129, 130, 131, -129]
    assert [found[d] for d in (510, 511, 512)] == [255, 255, 255]
    assert [found[d] for d in (-510, -511, -512)] == [-255, -255, -256]


def test_a_convolution_sees_neighbours_and_no_padding():
    block = ConvolvedBlock(**_pieces(), activation="linear")
    block = _widened(block, _INPUTS, _MASK)
    pieces = _pieces()
    del pieces["kernel_size"]
    plain = PostNormBlock(**pieces)
    plain(_INPUTS, _MASK)
    plain.set_weights(block.get_weights()[: len(plain.weights)])
    kernel, bias = (np.asarray(x) for x in block.convolution.weights)
    tokens = _INPUTS * _MASK[..., np.newaxis]
    padded = np.pad(tokens, [(0, 0), (1, 1), (0, 0)])
    convolved = sum(padded[:, k : k + 5] @ kernel[k] for k in range(3)) + bias
    added = np.asarray(plain(_INPUTS, _MASK)) + convolved
    expected = block.convolution_layer_norm(added)
    found = np.asarray(block(_INPUTS, _MASK))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    positions = np.array([[0, 3], [2, 1]], "int32")
    np.testing.assert_allclose(
        block(_INPUTS, _MASK, positions),
        np.take_along_axis(found, positions[..., np.newaxis], axis=1),
        atol=1e-5,
    )
