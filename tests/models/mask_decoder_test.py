"""The enhanced mask decoder against microsoft/DeBERTa's code in NumPy.

In its `emd_context_layer`, the last layer runs twice. Keys and values come from
the states before the layer. Queries and residual come from these states plus
the position embeddings, then from the output of the first run.
"""

import dataclasses
import math

import numpy as np
import pytest

from keras_bert.layers.attention.disentangled_attention import relative_rows
from keras_bert.models import add_heads
from keras_bert.models.families.deberta.config import DebertaConfig
from keras_bert.models.families.deberta_v2.config import DebertaV2Config
from keras_bert.models.family import family_of

_SIZES = {"max_position_embeddings": 16, "enhanced_mask_decoder": True}
_FIRST = DebertaConfig(30, 8, 2, 2, 16, **_SIZES)
_SECOND = DebertaV2Config(
    30, 8, 2, 2, 16, position_buckets=6, conv_kernel_size=3, **_SIZES
)
_LAST, _HEADS, _HEAD_SIZE = "block_1/", 2, 4
_IDS = np.random.default_rng(4).integers(1, 30, (3, 9)).astype("int32")
_MASK = (np.arange(9) < [[9], [6], [3]]).astype("int32")
_PLACES = np.array([[8, 0, 3], [1, 5, 2], [2, 0, 1]], "int32")
_BOTH = pytest.mark.parametrize("config", [_FIRST, _SECOND])


def make(config):
    """Return a backbone and its heads with widely drawn weights."""
    family = family_of(config.model_type)
    backbone = family.backbone(config)
    heads = family.heads(config, backbone.embeddings)
    random = np.random.default_rng(3)
    for weight in add_heads(backbone, heads, "pretrainer").weights:
        gain = float(weight.path.endswith("gamma"))
        weight.assign(random.normal(gain, 0.3, weight.shape))
    return backbone, heads


def normalized(x, weights, name):
    x = x - x.mean(-1, keepdims=True)
    x /= np.sqrt((x**2).mean(-1, keepdims=True) + 1e-7)
    return x * weights[f"{name}/gamma"] + weights[f"{name}/beta"]


def dense(x, weights, name):
    bias = weights.get(f"{name}/bias", 0.0)
    return x @ weights[f"{name}/kernel"] + bias


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def projections(config, weights):
    """Return kernels and biases of attention, and the projected table."""
    name = f"{_LAST}self_attention/"
    kernels = np.split(weights[f"{name}query_key_value/kernel"], 3, axis=1)
    table = weights["relative_positions/relative_embeddings"]
    if config is _SECOND:
        biases = np.split(weights[f"{name}query_key_value/bias"], 3)
        table = normalized(table, weights, "relative_positions/layer_norm")
        of_table = [table @ k + b for k, b in zip(kernels[:2], biases[:2])]
    else:
        biases = weights[f"{name}query_bias"], 0.0, weights[f"{name}value_bias"]
        of_table = [
            dense(table, weights, f"{name}table_query"),
            dense(table, weights, f"{name}table_key"),
        ]
    return kernels, biases, of_table


def last_layer(config, weights, states, queries, mask):
    """Compute the last layer of one text, (S, H), with keys of `states`."""
    kernels, biases, of_table = projections(config, weights)
    vectors = [
        x @ kernel + bias
        for x, kernel, bias in zip((queries, states, states), kernels, biases)
    ]
    query, key, value, far_query, far_key = (
        x.reshape(len(x), _HEADS, _HEAD_SIZE) for x in (*vectors, *of_table)
    )
    places = np.arange(len(states))
    rows = 16 + places[:, None] - places
    if config is _SECOND:
        rows = relative_rows(6, 16)[rows]
    scores = np.einsum("ihd,jhd->hij", query, key)
    scores += np.einsum("ihd,ijhd->hij", query, far_key[rows])
    scores += np.einsum("jhd,ijhd->hij", key, far_query[rows])
    shares = np.exp(scores / math.sqrt(3 * _HEAD_SIZE)) * mask
    shares /= shares.sum(-1, keepdims=True)
    context = np.einsum("hij,jhd->ihd", shares, value).reshape(queries.shape)
    attended = dense(
        context, weights, f"{_LAST}self_attention/attention_output"
    )
    middle = normalized(
        queries + attended, weights, f"{_LAST}attention_layer_norm"
    )
    inner = gelu(dense(middle, weights, f"{_LAST}feed_forward/intermediate"))
    output = dense(inner, weights, f"{_LAST}feed_forward/feed_forward_output")
    return normalized(middle + output, weights, f"{_LAST}output_layer_norm")


def twin(config, weights, before):
    """Return the logits of all tokens, (B, S, V)."""
    positions = weights["embeddings/position_embeddings"]
    rows = []
    for states, mask in zip(before, _MASK, strict=True):
        queries = states + positions[: len(states)]
        for _ in range(2):
            queries = last_layer(config, weights, states, queries, mask)
        rows.append(queries)
    states = gelu(dense(np.stack(rows), weights, "masked_lm_head/transform"))
    states = normalized(states, weights, "masked_lm_head/layer_norm")
    table = weights["embeddings/word_embeddings"]
    return states @ table.T + weights["masked_lm_head/output_bias"]


@_BOTH
def test_masked_tokens_are_predicted_as_by_the_original(config):
    backbone, heads = make(config)
    model = add_heads(backbone, heads, "pretrainer")
    weights = {w.path: np.asarray(w).astype("float64") for w in model.weights}
    inputs = {"input_ids": _IDS, "input_mask": _MASK}
    before = np.asarray(backbone.states_model()(inputs)["1"]).astype("float64")
    expected = np.take_along_axis(
        twin(config, weights, before), _PLACES[:, :, None], axis=1
    )
    found = model({**inputs, "masked_lm_positions": _PLACES})["mlm_logits"]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@_BOTH
def test_the_encoder_is_that_of_a_model_without_decoder(config):
    backbone, _ = make(config)
    plain = dataclasses.replace(config, enhanced_mask_decoder=False)
    other = family_of(config.model_type).backbone(plain).encoder("encoder")
    encoder = backbone.encoder("encoder")
    weights = {w.path: np.asarray(w) for w in encoder.weights}
    assert {*weights} - {w.path for w in other.weights} == {
        "embeddings/position_embeddings"
    }
    for weight in other.weights:
        weight.assign(weights[weight.path])
    inputs = {"input_ids": _IDS, "input_mask": _MASK}
    expected, found = (x(inputs)["sequence_output"] for x in (other, encoder))
    np.testing.assert_array_equal(found, expected)
