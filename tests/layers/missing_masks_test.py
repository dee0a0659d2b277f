"""Masks and segments that are not passed."""

import keras
import numpy as np
import pytest

from keras_bert import layers

_IDS = np.array([[1, 2, 0, 0], [3, 4, 5, 0]], "int32")


def _attention():
    return layers.SelfAttention(8, 2, name="self_attention")


def _feed_forward():
    return layers.FeedForward(8, 16, name="feed_forward")


_BLOCKS = {
    "encoder": lambda: layers.TransformerEncoderBlock(8, 2, 16),
    "pre_norm": lambda: layers.PreNormBlock(
        _attention(),
        _feed_forward(),
        layers.LayerNorm(name="feed_forward_layer_norm"),
        layers.LayerNorm(name="attention_layer_norm"),
    ),
    "convolved": lambda: layers.ConvolvedBlock(
        _attention(), _feed_forward(), 3
    ),
}


@pytest.mark.parametrize("name", _BLOCKS)
def test_a_mask_of_keras_is_that_of_the_attention(name):
    normal = keras.initializers.RandomNormal(stddev=1.0, seed=0)
    embedding = keras.layers.Embedding(9, 8, normal, mask_zero=True)
    one, two = _BLOCKS[name](), _BLOCKS[name]()
    model = keras.Sequential([embedding, one, two])
    mask = (_IDS != 0).astype("int32")
    expected = two(one(embedding(_IDS), mask), mask)
    np.testing.assert_allclose(model(_IDS), expected, atol=1e-6)
    ignoring = np.ones_like(mask)
    other = two(one(embedding(_IDS), ignoring), ignoring)
    assert np.abs(other - expected).max() > 1e-4
    keras.models.clone_model(model).set_weights(model.get_weights())


def test_a_mask_that_is_given_wins_over_that_of_keras():
    embedding = keras.layers.Embedding(9, 8, "random_normal", mask_zero=True)
    block = _BLOCKS["encoder"]()
    ones = np.ones_like(_IDS)
    expected = block(embedding(_IDS).numpy(), ones)
    np.testing.assert_array_equal(block(embedding(_IDS), ones), expected)


def _bert():
    return layers.BertEmbeddings(9, 8, 6)


@pytest.mark.parametrize(
    "make", [_bert, lambda: layers.FactorizedEmbeddings(_bert(), 4)]
)
def test_all_tokens_are_of_the_first_segment_by_default(make):
    embeddings = make()
    expected = embeddings(_IDS, np.zeros_like(_IDS))
    np.testing.assert_array_equal(embeddings(_IDS), expected)
    ids = keras.Input((None,), dtype="int32")
    model = keras.Model(ids, embeddings(ids))
    np.testing.assert_allclose(model(_IDS), expected, atol=1e-6)
