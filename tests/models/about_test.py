"""Blocks that are told more of tokens than their vectors and the mask."""

import keras
import numpy as np
import pytest

from keras_bert.export.packed_model import packed_model
from keras_bert.layers import FeedForward
from keras_bert.layers import LayerNorm
from keras_bert.layers import PostNormBlock
from keras_bert.layers import PreNormBlock
from keras_bert.layers import Rotary
from keras_bert.layers import SelfAttention
from keras_bert.layers import Window
from keras_bert.layers import WordEmbeddings
from keras_bert.models import Backbone
from tests import tiny

_LENGTHS = (6, 3)
_NAMES = ("input_ids", "input_mask", "text", "position")
_IDS = np.array([[7, 3, 9, 4, 8, 5, 11, 12, 6, 0]], "int32")
# Two texts in a row, whose positions begin anew, and padding.
_ROW = {
    "input_ids": _IDS,
    "input_mask": (_IDS > 0).astype("int32"),
    "text": np.array([[1] * 6 + [2] * 3 + [0]], "int32"),
    "position": np.array([[*range(6), *range(3), 0]], "int32"),
}


def pieces(index):
    return {
        "self_attention": SelfAttention(
            8,
            2,
            dropout=0.0,
            rotary=Rotary(10.0),
            pattern=Window(2) if index else None,
            kernel_initializer="random_normal",
            name="self_attention",
        ),
        "feed_forward": FeedForward(8, 12, dropout=0.0, name="feed_forward"),
    }


def pre_norm(index):
    layer_norm = LayerNorm(name="feed_forward_layer_norm")
    return PreNormBlock(
        **pieces(index), feed_forward_layer_norm=layer_norm, name=f"{index}"
    )


def post_norm(index):
    return PostNormBlock(**pieces(index), name=f"{index}")


def make_backbone(make_block, about):
    inputs = {
        name: keras.Input((None,), dtype="int32", name=name) for name in _NAMES
    }
    told = about and (lambda x: {name: x[name] for name in about})
    embeddings = Ids(30, 8, LayerNorm(name="layer_norm"), name="embeddings")
    blocks = [make_block(index) for index in range(3)]
    backbone = Backbone(embeddings, blocks, inputs=inputs, about=told)
    random = np.random.default_rng(0)
    for weight in backbone.encoder("encoder").weights:
        if "seed" not in weight.path:
            weight.assign_add(random.normal(0.0, 0.3, weight.shape))
    return backbone


@keras.saving.register_keras_serializable("about_test")
class Ids(WordEmbeddings):
    """Embeddings that take all inputs but look at the ids only."""

    def call(self, input_ids, text, position, training=None):
        return super().call(input_ids, training=training)

    def build(self, input_ids_shape, text_shape=None, position_shape=None):
        super().build(input_ids_shape)

    def compute_output_shape(self, input_ids_shape, *others):
        return super().compute_output_shape(input_ids_shape)


def alone(start, length):
    """One of the texts in a row of its own."""
    cut = {name: x[:, start : start + length] for name, x in _ROW.items()}
    return {**cut, "text": np.ones_like(cut["text"])}


@pytest.mark.parametrize("make_block", [pre_norm, post_norm])
def test_texts_in_a_row_do_not_see_each_other(make_block):
    backbone = make_backbone(make_block, ("text", "position"))
    model = backbone.encoder("encoder")
    states = np.asarray(model(_ROW)["sequence_output"])
    weights = backbone.attention_weights(_ROW)
    start = 0
    for length in _LENGTHS:
        inputs, stop = alone(start, length), start + length
        expected = np.asarray(model(inputs)["sequence_output"])
        np.testing.assert_allclose(
            states[:, start:stop], expected, rtol=1e-5, atol=1e-5
        )
        for found, own in zip(weights, backbone.attention_weights(inputs)):
            np.testing.assert_allclose(
                np.asarray(found)[:, :, start:stop, start:stop], own, atol=1e-5
            )
        start = stop
    untold = make_backbone(make_block, None).encoder("encoder")
    untold = np.asarray(untold(_ROW)["sequence_output"])
    assert np.abs(untold - states)[:, :9].max() > 0.01


def test_windows_go_by_the_positions_that_are_told():
    attention = SelfAttention(8, 2, pattern=Window(1))
    states = np.random.default_rng(0).normal(size=(1, 4, 8)).astype("float32")
    positions = {"position": np.array([[0, 5, 1, 6]], "int32")}
    weights = attention.attention_weights(states, about=positions)
    seen = np.asarray(weights)[0, 0] > 1e-6
    expected = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]]
    np.testing.assert_array_equal(seen, np.array(expected, bool))


def test_positions_asked_for_are_those_of_the_whole():
    backbone = make_backbone(pre_norm, ("text", "position"))
    asked = keras.Input((None,), dtype="int32", name="asked")
    outputs = [backbone.states[-1], backbone.last_states(asked)]
    model = keras.Model({**backbone.inputs, "asked": asked}, outputs)
    positions = np.array([[8, 0, 6]], "int32")
    whole, some = model({**_ROW, "asked": positions})
    np.testing.assert_allclose(
        some, np.asarray(whole)[:, positions[0]], rtol=1e-5, atol=1e-5
    )


def test_a_packed_model_leaves_such_blocks_as_they_are():
    backbone = make_backbone(post_norm, ("text", "position"))
    model = backbone.encoder("encoder")
    np.testing.assert_array_equal(
        packed_model(model)(_ROW)["sequence_output"],
        model(_ROW)["sequence_output"],
    )


def test_a_keras_file_keeps_what_blocks_are_told(tmp_path):
    backbone = make_backbone(pre_norm, ("text", "position"))
    encoder = backbone.encoder("encoder")
    tiny.check_keras_file(encoder, _ROW, tmp_path)
