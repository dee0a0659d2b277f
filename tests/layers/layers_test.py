"""Checks of every layer: configs, symbolic shapes, dtypes, a step of fit."""

import keras
import numpy as np
import pytest

from keras_bert import layers
from keras_bert.layers.attention_patterns import causal

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
    **{"vocab_size": 30, "hidden_size": 8, "max_position_embeddings": 16},
    "dropout": 0.0,
}
_WIDE = keras.initializers.RandomNormal(stddev=0.5, seed=0)
_ATTENTION = {
    **{"hidden_size": 8, "num_heads": 2, "dropout": 0.0},
    "kernel_initializer": _WIDE,
}
_CHARACTER_SIZES = {
    **{"num_characters": 9, "character_size": 3, "num_highways": 1},
    **{"filters": [[1, 2], [3, 4]], "output_size": 5},
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


def _sublayers(feed_forward=layers.FeedForward, **arguments):
    return {
        "self_attention": layers.SelfAttention(
            8, 2, dropout=0.0, name="self_attention"
        ),
        "feed_forward": feed_forward(8, 16, dropout=0.0, name="feed_forward"),
        **arguments,
    }


def _norm(name="layer_norm", layer=layers.LayerNorm):
    return layer(1e-5, name=name)


def _normed_sublayers():
    names = "feed_forward_layer_norm", "attention_layer_norm"
    return _sublayers(**{name: _norm(name) for name in names})


def _gated_sublayers():
    norm = _norm("feed_forward_layer_norm", layers.UnshiftedLayerNorm)
    gated = layers.GatedFeedForward
    return _sublayers(gated, feed_forward_layer_norm=norm)


def _words(layer=layers.LayerNorm, **arguments):
    sizes = {"vocab_size": 30, "hidden_size": 8, "dropout": 0.0}
    return {**sizes, "layer_norm": _norm(layer=layer), **arguments}


def _tied(**arguments):
    return {
        "embeddings": layers.TokenEmbeddings(30, 6, 16, name="embeddings"),
        "transform": layers.FlatDense(6, name="transform"),
    }


_FLOAT32 = {"mixed_dtype": "float32"}
# Layer, arguments (or a function that returns them), inputs, number of weights.
CASES = {
    "BertEmbeddings": (layers.BertEmbeddings, _BERT, _PAIRS, 5),
    "BigBirdEmbeddings": (layers.BigBirdEmbeddings, _BERT, _PAIRS, 5),
    "BlockSparseAttention": (
        *(layers.BlockSparseAttention, _ATTENTION | {"block_size": 2}),
        *(_MASKED, 4),
    ),
    "CharacterEmbeddings": (
        *(layers.CharacterEmbeddings, _CHARACTER_SIZES),
        *({"characters": _CHARACTERS}, 11),
    ),
    "ConvolvedBlock": (
        *(layers.ConvolvedBlock, lambda: _sublayers(kernel_size=3)),
        *(_MASKED, 16),
    ),
    "DisentangledAttention": (
        *(_Disentangled, _ATTENTION | {"num_buckets": 4, "max_distance": 16}),
        *(_MASKED, 4),
    ),
    "Dropout": (
        *(layers.Dropout, {"rate": 0.25, "seed": 1}, {"inputs": _STATES}, 0),
    ),
    "DropoutDense": (
        *(layers.DropoutDense, {"units": 3, "dropout": 0.0}),
        *({"inputs": _STATES}, 2),
    ),
    "ErnieEmbeddings": (
        *(layers.ErnieEmbeddings, _BERT | {"task_type_vocab_size": 2}),
        *(_PAIRS, 6),
    ),
    "FactorizedEmbeddings": (
        *(layers.FactorizedEmbeddings,),
        lambda: {"tables": _bert(hidden_size=4), "hidden_size": 8},
        *(_PAIRS, 7),
    ),
    "FactorizedEmbeddings, not projected": (
        *(layers.FactorizedEmbeddings,),
        lambda: {"tables": _bert(), "hidden_size": None},
        *(_PAIRS, 5),
    ),
    "FeedForward": (
        *(layers.FeedForward,),
        {"hidden_size": 8, "intermediate_size": 16, "dropout": 0.0},
        *({"inputs": _STATES}, 4),
    ),
    "GatedFeedForward": (
        *(layers.GatedFeedForward,),
        {"hidden_size": 8, "intermediate_size": 12, "dropout": 0.0},
        *({"inputs": _STATES}, 2),
    ),
    "GlobalTokens": (
        *(layers.GlobalTokens, {"max_tokens": 2}),
        *({"global_mask": _MASK * _SEGMENTS, "attention_mask": _MASK}, 0),
    ),
    "LMHead": (
        *(layers.LMHead, lambda: {"embeddings": _bert()}),
        *(_PREDICTED, 5, {**_FLOAT32, "num_trained": 1}),
    ),
    "LSTM": (layers.LSTM, {"units": 4}, {"vectors": _STATES}, 3),
    "LSTM of all": (
        *(layers.LSTM, {"units": 4, "return_sequences": True}),
        *({"vectors": _STATES}, 3),
    ),
    "LayerNorm": (layers.LayerNorm, {"epsilon": 1e-3}, {"inputs": _STATES}, 2),
    "QueryStart": (
        *(layers.QueryStart,),
        lambda: {
            "embeddings": layers.TwoStreamEmbeddings(
                30, 8, dropout=0.0, name="embeddings"
            )
        },
        *({"states": _STATES}, 2, {"num_trained": 1}),
    ),
    "RelativeAttention": (
        *(layers.RelativeAttention, _ATTENTION),
        *(_MASKED, 7, {"num_trained": 5}),
    ),
    "TwoStreamEmbeddings": (
        *(layers.TwoStreamEmbeddings,),
        {"vocab_size": 30, "hidden_size": 8, "dropout": 0.0},
        *({"input_ids": _IDS}, 2, {"num_trained": 1}),
    ),
    "MaskQueries": (
        *(layers.MaskQueries,),
        lambda: {
            "embeddings": layers.WordEmbeddings(
                **_words(max_position_embeddings=16), name="embeddings"
            )
        },
        *({"states": _STATES}, 4, {"num_trained": 1}),
    ),
    "MaskedLMHead": (
        *(layers.MaskedLMHead, lambda: {"embeddings": _bert()}),
        # Only the word embeddings are trained.
        *(_PREDICTED, 10, {**_FLOAT32, "num_trained": 6}),
    ),
    "NSPHead": (layers.NSPHead, {}, {"pooled_output": _STATES}, 2, _FLOAT32),
    "NormedReplacedTokenHead": (
        *(layers.NormedReplacedTokenHead, {"hidden_size": 8}),
        *({"sequence_output": _STATES}, 6, _FLOAT32),
    ),
    "PlainEmbeddings": (
        *(layers.PlainEmbeddings, _BERT, {"input_ids": _IDS}, 2),
    ),
    "PostNormBlock": (layers.PostNormBlock, _sublayers, _MASKED, 12),
    "PreNormBlock": (layers.PreNormBlock, _normed_sublayers, _MASKED, 12),
    "PreNormBlock, the first": (
        *(layers.PreNormBlock, _gated_sublayers),
        *({**_MASKED, "inputs": 2 * _STATES + 1}, 7),
    ),
    "ProjectedLSTMCell": (
        *(_Step, {"units": 6, "output_size": 4}),
        *({"vectors": _STATES[:, 0]}, 3),
    ),
    "ReplacedTokenHead": (
        *(layers.ReplacedTokenHead, {"hidden_size": 8}),
        *({"sequence_output": _STATES}, 4, _FLOAT32),
    ),
    "ResidualFeedForward": (
        *(layers.ResidualFeedForward,),
        {"hidden_size": 8, "intermediate_size": 16, "dropout": 0.0},
        *({"inputs": _STATES}, 6),
    ),
    "RobertaEmbeddings": (
        *(layers.RobertaEmbeddings, _BERT, {"input_ids": _IDS}, 5),
    ),
    "ScalarMix": (layers.ScalarMix, {"num_layers": 5}, {"states": _STATES}, 2),
    "SelfAttention": (
        *(layers.SelfAttention, _ATTENTION | {"output_dropout": 0.0}),
        *(_MASKED, 4),
    ),
    "SelfAttention, causal": (
        *(layers.SelfAttention, _ATTENTION | {"pattern": causal}),
        *(_MASKED, 4),
    ),
    "SelfAttention, rotary": (
        *(layers.SelfAttention,),
        _ATTENTION
        | {"rotary": layers.Rotary(100.0), "pattern": layers.Window(2)}
        | {"use_bias": False},
        *(_MASKED, 2),
    ),
    "SeparateDisentangledAttention": (
        *(_Separate, _ATTENTION | {"max_distance": 4}, _MASKED, 8),
    ),
    "SlidingWindowAttention": (
        *(layers.SlidingWindowAttention, _ATTENTION | {"window": 2}),
        *(_MASKED, 10, {"num_trained": 4}),
    ),
    "SpanBoundaryHead": (
        *(layers.SpanBoundaryHead, lambda: {"embeddings": _bert()}),
        {
            "sequence_output": _STATES,
            "span_boundaries": np.array([[[1, 3], [0, 2]]] * 2, "int32"),
            "span_positions": np.array([[0, 14]] * 2, "int32"),
        },
        *(15, {**_FLOAT32, "num_trained": 11}),
    ),
    "TaskHead": (
        *(layers.TaskHead,),
        lambda: {
            **{"num_outputs": 3, "dropout": 0.0},
            "transform": layers.FlatDense(6, name="dense"),
        },
        *({"vectors": _STATES}, 4, _FLOAT32),
    ),
    "TiedHead": (
        # Four weights of the embeddings, one of them trained.
        *(layers.TiedHead, _tied, _PREDICTED, 7),
        {**_FLOAT32, "num_trained": 4},
    ),
    "TokenEmbeddings": (
        *(layers.TokenEmbeddings, _BERT, {"input_ids": _IDS}, 4),
    ),
    "TransformerEncoderBlock": (
        *(layers.TransformerEncoderBlock,),
        {
            **{"hidden_size": 8, "num_heads": 2, "intermediate_size": 16},
            **{"dropout": 0.0, "attention_dropout": 0.0},
            "pattern": causal,
        },
        *(_MASKED, 12),
    ),
    "UnshiftedLayerNorm": (
        *(layers.UnshiftedLayerNorm, {"epsilon": 1e-3}),
        *({"inputs": _STATES}, 1),
    ),
    "WordEmbeddings": (layers.WordEmbeddings, _words, {"input_ids": _IDS}, 3),
    "WordEmbeddings, unshifted": (
        *(layers.WordEmbeddings, lambda: _words(layers.UnshiftedLayerNorm)),
        *({"input_ids": _IDS}, 2),
    ),
}


@pytest.mark.filterwarnings("ignore:The model does not have any trainable")
@pytest.mark.parametrize("case", CASES)
def test_layer(run_layer_test, case):
    layer, arguments, inputs, num_weights, *more = CASES[case]
    run_layer_test(layer, arguments, inputs, num_weights, **dict(*more))


_ERRORS = [
    (layers.BertEmbeddings, {"vocab_size": 0}, "`vocab_size`.*vocab_size=0"),
    (layers.BertEmbeddings, {"hidden_size": 1.5}, "hidden_size=1.5"),
    (layers.BertEmbeddings, {"max_position_embeddings": True}, "=True"),
    (layers.BertEmbeddings, {"type_vocab_size": None}, "_vocab_size=None"),
    (layers.BertEmbeddings, {"dropout": 1}, "`dropout` must be .*dropout=1"),
    (layers.CharacterEmbeddings, {"num_characters": 0}, "num_characters=0"),
    (layers.ConvolvedBlock, {"kernel_size": 2}, "must be an odd.*=2"),
    (layers.DisentangledAttention, {"num_buckets": 1}, "num_buckets=1"),
    (layers.DisentangledAttention, {"num_buckets": 0}, "num_buckets=0"),
    (layers.DisentangledAttention, {"max_distance": 3}, "max_distance=3"),
    (layers.Dropout, {"rate": -0.1}, "`rate` must be .*rate=-0.1"),
    (layers.Dropout, {"rate": "half"}, "rate='half'"),
    (layers.DropoutDense, {"dropout": 1.0}, "`dropout`.*dropout=1.0"),
    (layers.FactorizedEmbeddings, {"hidden_size": 0}, "hidden_size=0"),
    (layers.FeedForward, {"intermediate_size": 1.5}, "intermediate_size=1.5"),
    (layers.FeedForward, {"activation": "gelu_twice"}, "gelu_twice"),
    (layers.GlobalTokens, {"max_tokens": 0}, "max_tokens=0"),
    (layers.LSTM, {"units": 0}, "units=0"),
    (layers.MaskedLMHead, {"activation": "gelu_twice"}, "gelu_twice"),
    (layers.NSPHead, {"kernel_initializer": "twos"}, "twos"),
    (layers.ReplacedTokenHead, {"hidden_size": 0}, "hidden_size=0"),
    (layers.RobertaEmbeddings, {"pad_id": -1}, "`pad_id`.*pad_id=-1"),
    (layers.ScalarMix, {"num_layers": 0}, "num_layers=0"),
    (layers.SelfAttention, {"num_heads": 3}, "hidden_size=8, num_heads=3"),
    (layers.SelfAttention, {"num_heads": 2.0}, "`num_heads`.*num_heads=2.0"),
    (layers.SelfAttention, {"output_dropout": -1}, "output_dropout=-1"),
    (layers.SelfAttention, {"pattern": "causal"}, "pattern='causal'"),
    (layers.SlidingWindowAttention, {"window": 3}, "must be an even.*window=3"),
    (layers.SlidingWindowAttention, {"window": 0}, "must be an even.*window=0"),
    (layers.SpanBoundaryHead, {"max_span_length": 0}, "max_span_length=0"),
    (layers.TaskHead, {"num_outputs": 0}, "num_outputs=0"),
    (layers.TransformerEncoderBlock, {"intermediate_size": 0}, "_size=0"),
    (layers.TransformerEncoderBlock, {"attention_dropout": 2.0}, "=2.0"),
]


@pytest.mark.parametrize("layer, wrong, words", _ERRORS)
def test_a_wrong_argument_is_named(layer, wrong, words):
    _, arguments, *_ = CASES[layer.__name__]
    arguments = arguments() if callable(arguments) else arguments
    with pytest.raises(ValueError, match=words):
        layer(**{**arguments, **wrong})


@pytest.mark.parametrize("make", [layers.Rotary, layers.Window])
def test_a_pattern_of_no_size_is_an_error(make):
    with pytest.raises(ValueError, match="must be .*=0"):
        make(0)
