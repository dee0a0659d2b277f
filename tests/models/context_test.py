"""Blocks with inputs other than the states and the mask."""

import numpy as np
import pytest

from keras_bert.layers import FeedForward
from keras_bert.layers import PostNormBlock
from keras_bert.layers import SelfAttention
from keras_bert.layers import Window

_STATES = np.random.default_rng(0).normal(size=(1, 4, 8)).astype("float32")
_MASK = np.ones((1, 4), "int32")


@pytest.mark.parametrize(
    "old, new, value",
    [
        ("text", "text_numbers", np.array([[1, 1, 2, 2]], "int32")),
        ("position", "positions", np.array([[0, 2, 4, 9]], "int32")),
        ("query_states", "query_inputs", 2 * _STATES),
        (
            "score_bias",
            "score_bias",
            9 * np.eye(4, dtype="float32")[None, None],
        ),
    ],
)
def test_files_of_earlier_releases_name_the_context_otherwise(old, new, value):
    attention = SelfAttention(8, 2, pattern=Window(1), name="self_attention")
    block = PostNormBlock(attention, FeedForward(8, 12, name="feed_forward"))
    expected = block(_STATES, _MASK, context={new: value})
    found = block(_STATES, _MASK, about={old: value})
    np.testing.assert_array_equal(found, expected)
    assert np.abs(expected - block(_STATES, _MASK)).max() > 1e-6
