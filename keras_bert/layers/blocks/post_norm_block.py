"""Post-norm Transformer block with any attention and feed-forward layer."""

import typing

import keras
from keras import ops

from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.blocks.residual_block import ResidualBlock
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class PostNormBlock(ResidualBlock):
    """Post-norm block: `LayerNorm(x + SelfAttention(x))`, then `FeedForward`.

    Each sublayer output is added to its input, and the sum is normalized in
    float32. The names of the two layers are part of their weight paths.

    Args:
        self_attention: layer with the call arguments of `SelfAttention`.
        feed_forward: layer with the call arguments of `FeedForward`.
        layer_norm_epsilon: small float added to the variance.

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

    >>> block = keras_bert.layers.PostNormBlock(
    ...     keras_bert.layers.SelfAttention(8, 2, name="self_attention"),
    ...     keras_bert.layers.FeedForward(8, 32, name="feed_forward"),
    ... )
    >>> block(keras.ops.ones((1, 4, 8)), keras.ops.ones((1, 4))).shape
    TensorShape([1, 4, 8])

    References:
        [Attention Is All You Need](https://arxiv.org/abs/1706.03762),
        section 3.1
    """

    def __init__(
        self,
        self_attention: keras.layers.Layer,
        feed_forward: keras.layers.Layer,
        layer_norm_epsilon: float = EPSILON,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        self.self_attention = self_attention
        self.attention_layer_norm = LayerNorm(
            layer_norm_epsilon, dtype="float32", name="attention_layer_norm"
        )
        self.feed_forward = feed_forward
        self.output_layer_norm = LayerNorm(
            layer_norm_epsilon, dtype="float32", name="output_layer_norm"
        )

    def with_attended(self, inputs: Tensor, attended: Tensor) -> Tensor:
        return self._add(inputs, attended, self.attention_layer_norm)

    def with_output(self, states: Tensor, output: Tensor) -> Tensor:
        return self._add(states, output, self.output_layer_norm)

    def _add(
        self, inputs: Tensor, outputs: Tensor, layer_norm: LayerNorm
    ) -> Tensor:
        added = inputs + ops.cast(outputs, self.compute_dtype)
        return ops.cast(layer_norm(added), self.compute_dtype)
