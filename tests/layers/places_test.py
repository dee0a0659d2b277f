"""Masks propagated by Keras, and tensors that do not match the tokens."""

import keras
import numpy as np
import pytest

from keras_bert import layers

_IDS = np.array([[1, 2, 0, 0], [3, 4, 5, 0]], "int32")
_STATES = np.random.default_rng(0).normal(size=(2, 4, 8)).astype("float32")


def _attention():
    return layers.SelfAttention(8, 2, name="self_attention")


def _feed_forward():
    return layers.FeedForward(8, 16, name="feed_forward")


_BLOCKS = {
    "encoder": lambda: layers.TransformerEncoderBlock(8, 2, 16),
    "attention": lambda: layers.SelfAttention(
        8, 2, kernel_initializer="glorot_uniform"
    ),
    "post_norm": lambda: layers.PostNormBlock(_attention(), _feed_forward()),
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


@pytest.mark.parametrize(
    "shape", [(2, 3), (2, 5), (3, 4), (2, 1), (4,), (2, 4, 4)]
)
@pytest.mark.parametrize("name", ["encoder", "attention"])
def test_a_mask_of_another_shape_is_named(name, shape):
    message = rf"`attention_mask` must .*\(2, 4\).*{shape}".replace("(4,)", "")
    with pytest.raises(ValueError, match=message):
        _BLOCKS[name]()(_STATES, np.ones(shape, "int32"))


def _bert():
    return layers.BertEmbeddings(9, 8, 6)


@pytest.mark.parametrize(
    "make",
    [
        _bert,
        lambda: layers.PlainEmbeddings(9, 8, 6),
        lambda: layers.TokenEmbeddings(9, 8, 6),
        lambda: layers.RobertaEmbeddings(9, 8, 8, pad_id=1),
        lambda: layers.FactorizedEmbeddings(_bert(), 4),
    ],
)
def test_ids_without_positions_are_named(make):
    embeddings = make()
    embeddings(_IDS)
    ids = np.zeros((2, 7), "int32")
    with pytest.raises(ValueError, match=r"`input_ids` must be 1 to 6 .*7"):
        embeddings(ids)


@pytest.mark.parametrize("name", ["segment_ids", "positions"])
def test_ids_of_another_shape_are_named(name):
    with pytest.raises(ValueError, match=rf"`{name}` must .*\(2, 4\).*\(2, 3"):
        _bert()(_IDS, **{name: np.zeros((2, 3), "int32")})


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
