import keras
import numpy as np

from keras_bert.layers import FeedForward
from keras_bert.layers import PostNormBlock
from keras_bert.layers import SelfAttention
from keras_bert.layers import TransformerEncoderBlock
from keras_bert.layers import causal

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")


def pieces(**arguments):
    return {
        "self_attention": SelfAttention(
            8, 2, dropout=0.0, name="self_attention", **arguments
        ),
        "feed_forward": FeedForward(8, 16, dropout=0.0, name="feed_forward"),
    }


@keras.saving.register_keras_serializable("post_norm_block_test")
class Gated(keras.layers.Layer):
    """Feed-forward network of another kind."""

    def build(self, inputs_shape):
        self.gate = keras.layers.Dense(inputs_shape[-1], name="gate")
        self.gate.build(inputs_shape)

    def call(self, inputs):
        return inputs * keras.ops.sigmoid(self.gate(inputs))


def test_the_public_block_is_that_of_its_pieces():
    whole = TransformerEncoderBlock(8, 2, 16, pattern=causal)
    block = PostNormBlock(**pieces(pattern=causal))
    expected = np.asarray(whole(_INPUTS, _MASK))
    block.build(_INPUTS.shape)
    block.set_weights(whole.get_weights())
    np.testing.assert_array_equal(block(_INPUTS, _MASK), expected)
    assert [weight.path.partition("/")[2] for weight in block.weights] == [
        weight.path.partition("/")[2] for weight in whole.weights
    ]


def test_a_piece_of_another_kind_takes_the_place():
    attention = pieces()["self_attention"]
    gated = Gated(name="feed_forward")
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
