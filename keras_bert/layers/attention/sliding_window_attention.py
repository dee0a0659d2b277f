"""Self-attention of Longformer: a sliding window and global tokens."""

import functools
import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.attention import attend_to_all
from keras_bert.layers.attention.attention import attention_weights
from keras_bert.layers.attention.attention_patterns import Window
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@keras.saving.register_keras_serializable("keras_bert")
class SlidingWindowAttention(SelfAttention):
    """Self-attention in a sliding window, with global tokens.

    A token attends to the tokens in its window and to all global tokens. A
    global token attends to all tokens, with separate projections for queries,
    keys and values. Time and memory grow linearly with the length. Any length
    is valid.

    Args:
        hidden_size: size of the input and output vectors.
        num_heads: number of attention heads. Must divide `hidden_size`.
        window: even number of neighbours that a token attends to, half of
            them on each side.
        **kwargs: other arguments of `SelfAttention`, except `pattern`.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.
        context: dict of fields of `AttentionContext`. Its `global_tokens` are
            the output of `GlobalTokens`, `(batch_size, num_globals,
            seq_length)`. By default no token is global.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> attention = keras_bert.layers.SlidingWindowAttention(8, 2, window=4)
    >>> attention(keras.ops.ones((1, 9, 8))).shape
    TensorShape([1, 9, 8])

    References:
        [Longformer](https://arxiv.org/abs/2004.05150), section 3.1
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        window: int = 512,
        **kwargs: typing.Any,
    ):
        checks.even(2, window=window)
        pattern = Window(window // 2)
        super().__init__(hidden_size, num_heads, pattern=pattern, **kwargs)
        self.window = window
        self.global_query, self.global_key, self.global_value = (
            self._dense(hidden_size, f"global_{name}")
            for name in ("query", "key", "value")
        )

    def project(
        self, inputs: Tensor, context: AttentionContext
    ) -> list[Tensor]:
        """Project inputs to heads, including the heads for global tokens."""
        heads = super().project(inputs, context)
        if context.global_tokens is None:
            return heads
        # Only global tokens need a global query, but all tokens a global key.
        chosen = ops.cast(context.global_tokens, inputs.dtype)  # [B, G, S]
        chosen = self.global_query(ops.matmul(chosen, inputs))  # [B, G, H]
        others = self.global_key(inputs), self.global_value(inputs)
        return heads + [self._split(x) for x in (chosen, *others)]

    def _split(self, vectors):
        """Split vectors into heads and return [B, N, ..., D]."""
        shape = ops.shape(vectors)[1], self.num_heads, self.head_size
        return ops.transpose(ops.reshape(vectors, (-1, *shape)), (0, 2, 1, 3))

    def attend(
        self,
        heads: list[Tensor],
        context: AttentionContext,
        training: bool | None = None,
    ) -> Tensor:
        """Compute the attention output of each head, see `SelfAttention`."""
        attended = super().attend(heads[:3], context, training)
        if context.global_tokens is None:
            return attended
        query, key, value = heads[3:]
        dropout = functools.partial(self.weights_dropout, training=training)
        # Global tokens attend to all tokens: no pattern.
        everything = AttentionContext(context.attention_mask)
        of_globals = attend_to_all(
            query * self.scale, key, value, everything, None, dropout
        )  # [B, N, G, D]
        return self._replace(attended, of_globals, context)

    def _replace(self, values, of_globals, context):
        """Replace the values at global tokens."""
        rows = ops.cast(context.global_tokens, values.dtype)
        rows = ops.expand_dims(ops.swapaxes(rows, 1, 2), 1)  # [B, 1, S, G]
        rows = context.at_queries(rows)  # [B, 1, Q, G]
        # A matrix product moves the vectors back without a scatter.
        is_global = ops.sum(rows, axis=-1, keepdims=True) > 0
        return ops.where(is_global, ops.matmul(rows, of_globals), values)

    def attention_weights(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        context: Tensors | None = None,
    ) -> Tensor:
        weights = super().attention_weights(inputs, attention_mask, context)
        given = AttentionContext(attention_mask, **(context or {}))
        if given.global_tokens is None:
            return weights
        query, key, _ = self.project(inputs, given)[3:]
        everything = AttentionContext(attention_mask)
        of_globals = attention_weights(
            query * self.scale, key, everything, None
        )  # [B, N, G, S]
        return self._replace(weights, of_globals, given)
