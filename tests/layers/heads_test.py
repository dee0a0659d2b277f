import math

import keras
import numpy as np
import pytest

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import MaskedLMHead
from keras_bert.layers import NormedReplacedTokenHead
from keras_bert.layers import NSPHead
from keras_bert.layers import ReplacedTokenHead
from keras_bert.layers import SpanBoundaryHead

_STATES = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")
_MIXED = {"dtype": "mixed_bfloat16"}
# In bfloat16 it would be 1.
_FINE = 1.0 + 1.0 / 1024


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def normalized(x, layer_norm):
    x = x - x.mean(-1, keepdims=True)
    x /= np.sqrt((x**2).mean(-1, keepdims=True) + layer_norm.epsilon)
    return x * np.asarray(layer_norm.gamma) + np.asarray(layer_norm.beta)


def dense(x, layer):
    return x @ np.asarray(layer.kernel) + np.asarray(layer.bias)


def widened(head):
    head.build((None, None, 8))
    random = np.random.default_rng(1)
    head.set_weights([random.normal(size=w.shape) for w in head.weights])
    return head


def test_without_positions_every_position_is_predicted():
    head = MaskedLMHead(BertEmbeddings(30, 8, 16))
    positions = np.tile(np.arange(5, dtype="int32"), (2, 1))
    np.testing.assert_array_equal(head(_STATES), head(_STATES, positions))
    assert head(keras.Input((None, 8))).shape == (None, None, 30)


def _masked_lm():
    head = MaskedLMHead(BertEmbeddings(30, 8, 16, **_MIXED), **_MIXED)
    head.build((None, None, 8))
    head.embeddings.word_embeddings.assign(np.zeros((30, 8)))
    head.output_bias.assign(np.full(30, _FINE))
    return head


def _next_sentence():
    head = NSPHead(**_MIXED)
    head.build((None, 8))
    head.set_weights([np.full((8, 2), _FINE / 8), np.zeros(2)])
    return head


def _replaced_token():
    head = ReplacedTokenHead(8, activation="linear", **_MIXED)
    head.build((1, 1, 8))
    last = np.full((8, 1), _FINE / 8)
    head.set_weights([np.eye(8), np.zeros(8), last, np.zeros(1)])
    return head


@pytest.mark.parametrize(
    "make, shape",
    [
        (_masked_lm, (1, 1, 8)),
        (_next_sentence, (1, 8)),
        (_replaced_token, (1, 1, 8)),
    ],
)
def test_logits_are_computed_in_float32(make, shape):
    logits = make()(keras.ops.ones(shape, "bfloat16"))
    np.testing.assert_allclose(logits, np.full(logits.shape, _FINE), atol=1e-6)


def test_the_first_token_is_added_and_the_sum_normalized():
    head = widened(NormedReplacedTokenHead(8, layer_norm_epsilon=1e-7))
    sums = normalized(_STATES[:, :1] + _STATES, head.layer_norm)
    expected = dense(gelu(dense(sums, head.dense)), head.logits)[..., 0]
    np.testing.assert_allclose(head(_STATES), expected, atol=1e-4)


def test_span_boundaries_and_positions_predict_the_tokens_between():
    head = widened(SpanBoundaryHead(BertEmbeddings(30, 8, 16), 4, 6))
    random = np.random.default_rng(2)
    boundaries = random.integers(0, 5, (2, 5, 2))
    places = random.integers(0, 4, (2, 5))
    rows = np.arange(2)[:, None]
    sides = [_STATES[rows, boundaries[..., side]] for side in (0, 1)]
    positions = np.asarray(head.position_embeddings)[places]
    x = np.concatenate([*sides, positions], axis=-1)
    for layer in (head.transform, head.second_transform):
        x = normalized(gelu(dense(x, layer)), layer.layer_norm)
    table = np.asarray(head.embeddings.word_embeddings)
    expected = x @ table.T + np.asarray(head.output_bias)
    logits = head(_STATES, boundaries, places)
    np.testing.assert_allclose(logits, expected, atol=1e-4)
    assert np.abs(expected).max() > 5


def test_the_head_has_the_weights_of_spanbert():
    embeddings = BertEmbeddings(28_996, 768, 1)
    head = SpanBoundaryHead(embeddings)
    head.build((None, None, 768))
    own = head.count_params() - embeddings.count_params()
    assert own == 1_959_676
