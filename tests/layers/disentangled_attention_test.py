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


def test_quantized_attention_stays_close():
    layer = DisentangledAttention(8, 2, 4, 16)
    layer(_INPUTS, context=_CONTEXT)
    layer.set_weights([_RANDOM.normal(size=w.shape) for w in layer.weights])
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
