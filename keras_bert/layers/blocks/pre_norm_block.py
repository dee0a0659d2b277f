"""Pre-norm Transformer block with any attention and feed-forward layer."""

import typing

import keras
from keras import ops

from keras_bert.layers.blocks.residual_block import ResidualBlock
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class PreNormBlock(ResidualBlock):
    """Pre-norm block: `x + SelfAttention(LayerNorm(x))`, then `FeedForward`.

    The names of the layers are part of their weight paths.

    Args:
        self_attention: layer with the call arguments of `SelfAttention`.
        feed_forward: layer with the call arguments of `FeedForward`.
        feed_forward_layer_norm: layer that normalizes the input of
            `feed_forward`.
        attention_layer_norm: layer that normalizes the input of
            `self_attention`. None if the input is already normalized.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore. Defaults to the Keras mask of the
            inputs, as set by `mask_zero`, or to all tokens.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.
        context: dict of other fields of
            `keras_bert.layers.attention.attention.AttentionContext`.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> block = keras_bert.layers.PreNormBlock(
    ...     keras_bert.layers.SelfAttention(8, 2, name="self_attention"),
    ...     keras_bert.layers.GatedFeedForward(8, 32, name="feed_forward"),
    ...     keras_bert.layers.LayerNorm(name="feed_forward_layer_norm"),
    ... )
    >>> block(keras.ops.ones((1, 4, 8)), keras.ops.ones((1, 4))).shape
    TensorShape([1, 4, 8])

    References:
        [On Layer Normalization in the Transformer Architecture](
        https://arxiv.org/abs/2002.04745), section 3
    """

    def __init__(
        self,
        self_attention: keras.layers.Layer,
        feed_forward: keras.layers.Layer,
        feed_forward_layer_norm: keras.layers.Layer,
        attention_layer_norm: keras.layers.Layer | None = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        self.attention_layer_norm = attention_layer_norm
        self.self_attention = self_attention
        self.feed_forward_layer_norm = feed_forward_layer_norm
        self.feed_forward = feed_forward

    def attention_input(self, inputs: Tensor) -> Tensor:
        return self._normalized(inputs, self.attention_layer_norm)

    def feed_forward_input(self, states: Tensor) -> Tensor:
        return self._normalized(states, self.feed_forward_layer_norm)

    def _normalized(self, states, layer_norm):
        if layer_norm is None:
            return states
        return ops.cast(layer_norm(states), self.compute_dtype)
