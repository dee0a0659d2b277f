"""Blocks whose tokens see those before them alone."""

import keras
from keras import ops

from keras_bert.layers.self_attention import SelfAttention
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock


@keras.saving.register_keras_serializable("keras_bert")
class CausalSelfAttention(SelfAttention):
    """Self-attention of every token to itself and the tokens before it.

    Arguments and call arguments are those of `SelfAttention`.

    Example:

    >>> attention = keras_bert.layers.CausalSelfAttention(8, num_heads=2)
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Attention Is All You Need](https://arxiv.org/abs/1706.03762),
        section 3.2.3
    """

    def _hidden(self, seq_length, attention_mask, query_positions):
        columns = ops.arange(seq_length)
        rows = columns[None] if query_positions is None else query_positions
        later = ops.cast(columns > rows[:, :, None], "float32")[:, None]
        hidden = super()._hidden(seq_length, attention_mask, query_positions)
        return later if hidden is None else ops.maximum(later, hidden)


@keras.saving.register_keras_serializable("keras_bert")
class CausalTransformerBlock(TransformerEncoderBlock):
    """`TransformerEncoderBlock` with `CausalSelfAttention`.

    Arguments and call arguments are those of `TransformerEncoderBlock`.

    Example:

    >>> block = keras_bert.layers.CausalTransformerBlock(
    ...     hidden_size=8, num_heads=2, intermediate_size=32
    ... )
    >>> block(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.1, "LTR"
    """

    attention_class = CausalSelfAttention
