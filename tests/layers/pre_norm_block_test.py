import numpy as np
import pytest

from keras_bert.layers import FeedForward
from keras_bert.layers import LayerNorm
from keras_bert.layers import PreNormBlock
from keras_bert.layers import SelfAttention

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(1.0, 2.0, size=(2, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")


def pieces(feed_forward=FeedForward, layer_norm=LayerNorm, is_first=False):
    first = None if is_first else layer_norm(name="attention_layer_norm")
    return {
        "self_attention": SelfAttention(
            8, 2, dropout=0.0, name="self_attention"
        ),
        "feed_forward": feed_forward(8, 16, dropout=0.0, name="feed_forward"),
        "feed_forward_layer_norm": layer_norm(name="feed_forward_layer_norm"),
        "attention_layer_norm": first,
    }


@pytest.mark.parametrize("is_first", [True, False])
def test_sublayers_read_normalized_states_and_add_to_the_others(is_first):
    block = PreNormBlock(**pieces(is_first=is_first))
    block.build(_INPUTS.shape)
    random = np.random.default_rng(1)
    for weight in block.weights:
        weight.assign(random.normal(1.0, 0.3, weight.shape))
    read = _INPUTS if is_first else block.attention_layer_norm(_INPUTS)
    states = _INPUTS + block.self_attention(read, _MASK)
    output = block.feed_forward(block.feed_forward_layer_norm(states))
    np.testing.assert_allclose(
        block(_INPUTS, _MASK), states + output, atol=1e-5
    )
    np.testing.assert_array_equal(
        block.attention_weights(_INPUTS, _MASK),
        block.self_attention.attention_weights(read, _MASK),
    )


def test_positions_asked_for_are_those_of_the_whole():
    block = PreNormBlock(**pieces())
    positions = np.array([[4, 0, 2], [1, 1, 0]], "int32")
    whole = np.asarray(block(_INPUTS, _MASK))
    rows = np.take_along_axis(whole, positions[:, :, None], axis=1)
    np.testing.assert_allclose(
        block(_INPUTS, _MASK, positions), rows, atol=1e-6
    )
