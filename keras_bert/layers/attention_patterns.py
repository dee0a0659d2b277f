"""Which tokens a token may attend to, by their positions.

A pattern is a function of query positions and key positions, int32 tensors
that broadcast; it returns bool, True where the query attends to the key. One
with arguments is an object with `__call__` and `get_config`. It is registered
with Keras, so that a layer that holds it can be saved. One that attends to no
key more than `reach` positions away says so by this attribute, an int; then
attention to long rows is computed in blocks.
"""

import keras
from keras import ops

from keras_bert import checks

# Up to so many tokens one product of all pairs is faster than blocks.
_LONGEST_DENSE = 512


@keras.saving.register_keras_serializable("keras_bert")
def causal(query_positions, key_positions):
    """Every token attends to itself and to the tokens before it.

    Args:
        query_positions: int32 tensor.
        key_positions: int32 tensor that broadcasts with it.

    Returns:
        bool tensor, True where the query attends to the key.

    Example:

    >>> attention = keras_bert.layers.SelfAttention(
    ...     8, num_heads=2, pattern=keras_bert.layers.causal
    ... )
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Attention Is All You Need](https://arxiv.org/abs/1706.03762),
        section 3.2.3
    """
    return key_positions <= query_positions


@keras.saving.register_keras_serializable("keras_bert")
class Window:
    """Every token attends to those at most some positions away.

    Args:
        reach: int, the greatest distance, on both sides: a window holds
            `2 * reach + 1` tokens.

    Call arguments:
        query_positions: int32 tensor.
        key_positions: int32 tensor that broadcasts with it.

    Returns:
        bool tensor, True where the query attends to the key.

    Example:

    >>> attention = keras_bert.layers.SelfAttention(
    ...     8, num_heads=2, pattern=keras_bert.layers.Window(64)
    ... )
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Longformer](https://arxiv.org/abs/2004.05150), section 3.1
    """

    def __init__(self, reach):
        checks.at_least(1, reach=reach)
        self.reach = reach

    def __call__(self, query_positions, key_positions):
        return ops.abs(query_positions - key_positions) <= self.reach

    def get_config(self):
        return {"reach": self.reach}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def is_long(pattern, seq_length):
    """Decides on blocks that attend to themselves and their neighbours.

    Args:
        pattern: function of query and key positions, or None. One that has
            an int `reach` attends to no key farther away.
        seq_length: int, or int32 scalar tensor.

    Returns:
        bool, or bool scalar tensor; False where the pattern has no reach.
    """
    reach = getattr(pattern, "reach", None)
    return reach is not None and seq_length > max(_LONGEST_DENSE, 4 * reach)
