"""Attention in one fused kernel, on backends that have one."""

from collections.abc import Callable

import keras
from keras import ops

from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.attention import ignored_keys
from keras_bert.layers.attention.attention import masked_scores
from keras_bert.layers.attention.attention_patterns import Pattern
from keras_bert.typing import Tensor


def has_fused_attention() -> bool:
    """Return whether the Keras backend has a fused kernel."""
    return keras.backend.backend() == "torch"


def attend_fused(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    context: AttentionContext,
    pattern: Pattern | None,
    dropout: Callable[[Tensor], Tensor],
) -> Tensor:
    """Compute attention to all keys without storing the attention weights.

    Requires queries at all positions, no score bias and no dropout of weights.

    References:
        [FlashAttention](https://arxiv.org/abs/2205.14135), section 3
    """
    ignored = ignored_keys(context, pattern, ops.shape(key)[2])
    bias = None
    if ignored is not None:  # [B, 1, 1 or S, S]
        bias = ops.cast(masked_scores(ops.zeros(()), ignored), query.dtype)
    # Keras takes [B, S, N, D].
    query, key, value = (ops.swapaxes(x, 1, 2) for x in (query, key, value))
    attended = ops.dot_product_attention(
        query, key, value, bias=bias, scale=1.0
    )
    return ops.swapaxes(attended, 1, 2)
