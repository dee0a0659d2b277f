"""Which tokens a token may attend to, by their positions.

A pattern is a function of query positions and key positions, int32 tensors
that broadcast; it returns bool, True where the query attends to the key. One
with arguments is an object with `__call__` and `get_config`. It is registered
with Keras, so that a layer that holds it can be saved.
"""

import keras


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
