import keras
import numpy as np
import pytest

from keras_bert.layers import FeedForward
from keras_bert.layers import LayerNorm
from keras_bert.layers import PostNormBlock
from keras_bert.layers import PreNormBlock
from keras_bert.layers import SelfAttention
from keras_bert.layers import TransformerEncoderBlock

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(1.0, 2.0, size=(3, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]], "int32")


def make_block(**arguments):
    return TransformerEncoderBlock(8, 2, 16, **arguments)


def make_attention():
    return SelfAttention(8, 2, dropout=0.0, name="self_attention")


def test_a_mask_may_have_any_dtype_and_be_left_out():
    block, ones = make_block(), np.ones_like(_MASK)
    for mask, same in (
        (_MASK, _MASK.astype("bool")),
        (_MASK, _MASK.astype("float32")),
        (ones, None),
    ):
        np.testing.assert_array_equal(
            block(_INPUTS, mask), block(_INPUTS, same)
        )


@pytest.mark.parametrize("dtype", ["float32", "mixed_float16"])
def test_a_row_of_padding_is_finite(dtype):
    outputs = make_block(dtype=dtype)(_INPUTS, np.zeros_like(_MASK))
    assert np.isfinite(outputs).all()


def test_the_two_dropouts_of_a_step_differ():
    block = make_block(dropout=0.5, attention_dropout=0.0)
    block(_INPUTS)
    ones = np.ones((1, 5, 8), "float32")
    dropouts = (
        block.self_attention.output_dropout,
        block.feed_forward.output_dropout,
    )
    masks = [np.asarray(x(ones, training=True)) for x in dropouts]
    assert not np.array_equal(*masks)


@keras.saving.register_keras_serializable("blocks_test")
class Gated(keras.layers.Layer):
    """Feed-forward network of another kind."""

    def build(self, inputs_shape):
        self.gate = keras.layers.Dense(inputs_shape[-1], name="gate")
        self.gate.build(inputs_shape)

    def call(self, inputs):
        return inputs * keras.ops.sigmoid(self.gate(inputs))


def test_a_piece_of_another_kind_takes_the_place():
    attention, gated = make_attention(), Gated(name="feed_forward")
    block = PostNormBlock(attention, gated)
    outputs = block(_INPUTS, _MASK)
    attended = attention(_INPUTS, _MASK)
    states = block.attention_layer_norm(_INPUTS + attended)
    expected = block.output_layer_norm(states + gated(states))
    np.testing.assert_allclose(outputs, expected, atol=1e-6)
    revived = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(block)
    )
    assert type(revived.feed_forward) is Gated


def test_attention_weights_are_those_of_normalized_states():
    block = PreNormBlock(
        make_attention(),
        FeedForward(8, 16, name="feed_forward"),
        LayerNorm(name="feed_forward_layer_norm"),
        LayerNorm(name="attention_layer_norm"),
    )
    block(_INPUTS, _MASK)
    read = block.attention_layer_norm(_INPUTS)
    np.testing.assert_array_equal(
        block.attention_weights(_INPUTS, _MASK),
        block.self_attention.attention_weights(read, _MASK),
    )
