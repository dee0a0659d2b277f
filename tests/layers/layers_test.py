"""Checks of every layer: configs, symbolic shapes, dtypes, a step of fit."""

import keras
import numpy as np
import pytest

from keras_bert import layers
from keras_bert.layers.attention.attention_patterns import causal

_RANDOM = np.random.default_rng(0)
_STATES = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")
_MASKED = {"inputs": _STATES, "attention_mask": _MASK}
_TABLE = _RANDOM.normal(size=(8, 8)).astype("float32")
_IDS = np.array([[2, 7, 29, 3, 0], [2, 9, 3, 0, 0]], "int32")
_SEGMENTS = np.array([[0, 0, 1, 1, 0], [0, 0, 0, 0, 0]], "int32")
_PAIRS = {"input_ids": _IDS, "segment_ids": _SEGMENTS}
_POSITIONS = np.array([[4, 0], [1, 1]], "int32")
_PREDICTED = {"sequence_output": _STATES, "masked_lm_positions": _POSITIONS}
_CHARACTERS = np.random.default_rng(0).integers(0, 10, (2, 3, 6), np.int32)
_BERT = {
    "vocab_size": 30,
    "hidden_size": 8,
    "max_position_embeddings": 16,
    "dropout": 0.0,
}
_ATTENTION = {
    "hidden_size": 8,
    "num_heads": 2,
    "dropout": 0.0,
    "kernel_initializer": keras.initializers.RandomNormal(stddev=0.5, seed=0),
}
_CHARACTER_SIZES = {
    "num_characters": 9,
    "character_size": 3,
    "num_highways": 1,
    "filters": [[1, 2], [3, 4]],
    "output_size": 5,
}


class _WithTable:
    """Layer with its own table, for checks without extra tensors."""

    def compute_output_shape(self, inputs_shape):
        return inputs_shape

    def call(self, inputs, attention_mask=None, training=None):
        context = {"relative_table": keras.ops.convert_to_tensor(_TABLE)}
        return super().call(inputs, attention_mask, None, context, training)


@keras.saving.register_keras_serializable("test")
class _Disentangled(_WithTable, layers.DisentangledAttention):
    pass


@keras.saving.register_keras_serializable("test")
class _Separate(_WithTable, layers.SeparateDisentangledAttention):
    pass


@keras.saving.register_keras_serializable("test")
class _Step(layers.ProjectedLSTMCell):
    """Layer that returns only the next state, from a state of zeros."""

    def call(self, vectors):
        shape = keras.ops.shape(vectors)[0]
        sizes = self.output_size, self.units
        states = [keras.ops.zeros((shape, n), vectors.dtype) for n in sizes]
        return super().call(vectors, states)[0]

    def compute_output_shape(self, vectors_shape):
        return (vectors_shape[0], self.output_size)


def _bert(**arguments):
    return layers.BertEmbeddings(**{**_BERT, **arguments}, name="embeddings")


def _sublayers(**arguments):
    return {
        "self_attention": layers.SelfAttention(
            8, 2, dropout=0.0, name="self_attention"
        ),
        "feed_forward": layers.FeedForward(
            8, 16, dropout=0.0, name="feed_forward"
        ),
        **arguments,
    }


def _norm(name):
    return layers.LayerNorm(1e-5, name=name)


def _normed_sublayers():
    names = "feed_forward_layer_norm", "attention_layer_norm"
    return _sublayers(**{name: _norm(name) for name in names})


def _words(**arguments):
    sizes = {"vocab_size": 30, "hidden_size": 8, "dropout": 0.0}
    return {**sizes, "layer_norm": _norm("layer_norm"), **arguments}


def _transform():
    return layers.FlatDense(6, name="transform")


def _tokens():
    return layers.TokenEmbeddings(30, 6, 16, name="embeddings")


def _embeddings():
    return layers.WordEmbeddings(
        **_words(max_position_embeddings=16), name="embeddings"
    )


def _two_streams():
    return layers.TwoStreamEmbeddings(30, 8, dropout=0.0, name="embeddings")


_FLOAT32 = {"mixed_dtype": "float32"}
_INPUTS = {"inputs": _STATES}
_SEQUENCE = {"sequence_output": _STATES}
_SPANS = {
    "sequence_output": _STATES,
    "span_boundaries": np.array([[[1, 3], [0, 2]]] * 2, "int32"),
    "span_positions": np.array([[0, 14]] * 2, "int32"),
}
_GLOBALS = {"global_mask": _MASK * _SEGMENTS, "attention_mask": _MASK}
_NETWORK = {"hidden_size": 8, "intermediate_size": 16, "dropout": 0.0}
_BLOCK = {**_NETWORK, "num_heads": 2, "attention_dropout": 0.0}
# Layers that need a table or a state have one of their own here.
_CLASSES = {
    "DisentangledAttention": _Disentangled,
    "SeparateDisentangledAttention": _Separate,
    "ProjectedLSTMCell": _Step,
}
# By class: arguments (or a function that returns them), inputs, number of
# weights, other arguments of `run_layer_test`.
_CASES = {
    "BertEmbeddings": (_BERT, _PAIRS, 5),
    "BigBirdEmbeddings": (_BERT, _PAIRS, 5),
    "BlockSparseAttention": (_ATTENTION | {"block_size": 2}, _MASKED, 4),
    "CharacterEmbeddings": (_CHARACTER_SIZES, {"characters": _CHARACTERS}, 11),
    "ConvolvedBlock": (lambda: _sublayers(kernel_size=3), _MASKED, 16),
    "DisentangledAttention": (
        _ATTENTION | {"num_buckets": 4, "max_distance": 16},
        _MASKED,
        4,
    ),
    "Dropout": ({"rate": 0.25, "seed": 1}, _INPUTS, 0),
    "DropoutDense": ({"units": 3, "dropout": 0.0}, _INPUTS, 2),
    "ErnieEmbeddings": (_BERT | {"task_type_vocab_size": 2}, _PAIRS, 6),
    "FactorizedEmbeddings": (
        lambda: {"tables": _bert(hidden_size=4), "hidden_size": 8},
        _PAIRS,
        7,
    ),
    "FeedForward": (_NETWORK, _INPUTS, 4),
    "GatedFeedForward": (_NETWORK, _INPUTS, 2),
    "GlobalTokens": ({"max_tokens": 2}, _GLOBALS, 0),
    "LMHead": (
        lambda: {"embeddings": _bert()},
        _PREDICTED,
        5,
        {**_FLOAT32, "num_trained": 1},
    ),
    "LSTM": ({"units": 4}, {"vectors": _STATES}, 3),
    "LayerNorm": ({"epsilon": 1e-3}, _INPUTS, 2),
    "MaskQueries": (
        lambda: {"embeddings": _embeddings()},
        {"states": _STATES},
        4,
        {"num_trained": 1},
    ),
    "MaskedLMHead": (
        lambda: {"embeddings": _bert()},
        _PREDICTED,
        10,
        # Only the word embeddings are trained.
        {**_FLOAT32, "num_trained": 6},
    ),
    "NSPHead": ({}, {"pooled_output": _STATES}, 2, _FLOAT32),
    "NormedReplacedTokenHead": ({"hidden_size": 8}, _SEQUENCE, 6, _FLOAT32),
    "PlainEmbeddings": (_BERT, {"input_ids": _IDS}, 2),
    "PostNormBlock": (_sublayers, _MASKED, 12),
    "PreNormBlock": (_normed_sublayers, _MASKED, 12),
    "ProjectedLSTMCell": (
        {"units": 6, "output_size": 4},
        {"vectors": _STATES[:, 0]},
        3,
    ),
    "QueryStart": (
        lambda: {"embeddings": _two_streams()},
        {"states": _STATES},
        2,
        {"num_trained": 1},
    ),
    "RelativeAttention": (_ATTENTION, _MASKED, 7, {"num_trained": 5}),
    "ReplacedTokenHead": ({"hidden_size": 8}, _SEQUENCE, 4, _FLOAT32),
    "ResidualFeedForward": (_NETWORK, _INPUTS, 6),
    "RobertaEmbeddings": (_BERT, {"input_ids": _IDS}, 5),
    "ScalarMix": ({"num_layers": 5}, {"states": _STATES}, 2),
    "SelfAttention": (_ATTENTION | {"output_dropout": 0.0}, _MASKED, 4),
    "SeparateDisentangledAttention": (
        _ATTENTION | {"max_distance": 4},
        _MASKED,
        8,
    ),
    "SlidingWindowAttention": (
        _ATTENTION | {"window": 2},
        _MASKED,
        10,
        {"num_trained": 4},
    ),
    "SpanBoundaryHead": (
        lambda: {"embeddings": _bert()},
        _SPANS,
        15,
        {**_FLOAT32, "num_trained": 11},
    ),
    "TaskHead": (
        lambda: {"num_outputs": 3, "dropout": 0.0, "transform": _transform()},
        {"vectors": _STATES},
        4,
        _FLOAT32,
    ),
    "TiedHead": (
        lambda: {"embeddings": _tokens(), "transform": _transform()},
        _PREDICTED,
        7,
        # Four weights of the embeddings, one of them trained.
        {**_FLOAT32, "num_trained": 4},
    ),
    "TokenEmbeddings": (_BERT, {"input_ids": _IDS}, 4),
    "TransformerEncoderBlock": (_BLOCK | {"pattern": causal}, _MASKED, 12),
    "TwoStreamEmbeddings": (
        {"vocab_size": 30, "hidden_size": 8, "dropout": 0.0},
        {"input_ids": _IDS},
        2,
        {"num_trained": 1},
    ),
    "UnshiftedLayerNorm": ({"epsilon": 1e-3}, _INPUTS, 1),
    "WordEmbeddings": (_words, {"input_ids": _IDS}, 3),
}


@pytest.mark.filterwarnings("ignore:The model does not have any trainable")
@pytest.mark.parametrize("name", _CASES)
def test_layer(run_layer_test, name):
    arguments, inputs, num_weights, *more = _CASES[name]
    layer = _CLASSES.get(name) or getattr(layers, name)
    run_layer_test(layer, arguments, inputs, num_weights, **dict(*more))
