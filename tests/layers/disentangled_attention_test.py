"""Disentangled attention and the table of relative embeddings."""

import keras
import numpy as np
import tensorflow as tf

from keras_bert.layers import DisentangledAttention
from keras_bert.layers import LayerNorm
from keras_bert.layers import RelativeTable

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_CONTEXT = {"relative_table": _RANDOM.normal(size=(8, 8)).astype("float32")}


def make_attention():
    layer = DisentangledAttention(8, 2, 4, 16)
    layer(_INPUTS, context=_CONTEXT)
    layer.set_weights([_RANDOM.normal(size=w.shape) for w in layer.weights])
    return layer


def test_scores_are_the_three_products_of_the_paper():
    """Compute each pair of tokens by equation 4 with the correct sign."""
    layer = make_attention()
    kernel, bias, *_ = layer.get_weights()

    def heads(vectors):
        return (vectors @ kernel + bias).reshape(*vectors.shape[:-1], 3, 2, 4)

    table_query, table_key, _ = np.moveaxis(
        heads(_CONTEXT["relative_table"]), 1, 0
    )
    query, key, _ = np.moveaxis(heads(_INPUTS), 2, 0)
    scores = np.zeros((2, 2, 5, 5))
    for i, j in np.ndindex(5, 5):
        # The distances 3 and 4 share a row.
        row = np.clip(i - j, -3, 3) + 4
        products = (
            query[:, i] * key[:, j]
            + query[:, i] * table_key[row]
            + key[:, j] * table_query[row]
        )
        scores[:, :, i, j] = products.sum(axis=-1) / np.sqrt(3 * 4)
    expected = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    found = layer.attention_weights(_INPUTS, context=_CONTEXT)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-6)


def test_quantized_attention_stays_close():
    layer = make_attention()
    before = layer(_INPUTS, context=_CONTEXT).numpy()
    layer.query_key_value.quantize("int8")
    after = layer(_INPUTS, context=_CONTEXT).numpy()
    error = np.abs(after - before).max()
    assert 0 < error < 0.05 * np.abs(before).max()


def test_a_table_is_normalized_whatever_is_read():
    layer_norm = LayerNorm(dtype="float32", name="layer_norm")
    table = RelativeTable(6, 8, layer_norm, dtype="mixed_bfloat16")
    found = table(np.zeros((2, 5), "int32"))
    assert keras.backend.standardize_dtype(found.dtype) == "bfloat16"
    symbolic = table(keras.Input((None,), dtype="int32"))
    assert symbolic.shape == found.shape == (6, 8)
    again = RelativeTable.from_config(table.get_config())
    again(np.zeros((2, 5), "int32"))
    assert again.get_config() == table.get_config()


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
