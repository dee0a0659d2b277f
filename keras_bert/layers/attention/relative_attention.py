"""Self-attention with the relative positions and segments of XLNet."""

import dataclasses
import typing

import keras
import numpy as np
from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.disentangled_attention import shifted
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import make_dense
from keras_bert.typing import Tensor

_THETA = 10000.0


@keras.saving.register_keras_serializable("keras_bert")
class RelativeAttention(SelfAttention):
    """Self-attention with relative positions and segments, as in XLNet.

    A score is the sum of three products with the query: the key, a projection
    of the sinusoids of the distance, and a vector for "same segment" or
    "different segment". Each product has its own bias, which is added to the
    query. There are no other biases and no limit on the distance.

    Args:
        hidden_size: size of the input and output vectors. Must be even.
        num_heads: number of attention heads. Must divide `hidden_size`.
        **kwargs: other arguments of `SelfAttention`. `output_dropout` is also
            applied to the sinusoids.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.
        context: dict of fields of `AttentionContext`. Without `segment_ids`,
            all tokens are in the same segment.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> attention = keras_bert.layers.RelativeAttention(8, num_heads=2)
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Transformer-XL](https://arxiv.org/abs/1901.02860), section 3.3
        [XLNet](https://arxiv.org/abs/1906.08237), section 2.5
    """

    def __init__(self, hidden_size: int, num_heads: int, **kwargs: typing.Any):
        super().__init__(hidden_size, num_heads, use_bias=False, **kwargs)
        if hidden_size % 2:
            raise ValueError(
                "`hidden_size` must be even, because half of the sinusoids "
                f"are sines. Received: hidden_size={hidden_size}."
            )
        self.relative = make_dense(
            self, hidden_size, "relative", use_bias=False
        )
        self.table_dropout = Dropout(
            self.output_dropout.rate,
            dtype=self.dtype_policy,
            name="table_dropout",
        )

    def build(self, inputs_shape: Shape) -> None:
        super().build(inputs_shape)
        shape = (self.hidden_size,)
        self.content_bias = self._table("content_bias", shape)
        self.relative_bias = self._table("relative_bias", shape)
        self.segment_bias = self._table("segment_bias", shape)
        self.segment_embeddings = self._table("segment_embeddings", (2, *shape))

    def _table(self, name, shape):
        initializer = clone_initializer(self.kernel_initializer)
        return self.add_weight(name=name, shape=shape, initializer=initializer)

    def position(
        self,
        query: Tensor,
        key: Tensor,
        context: AttentionContext,
        training: bool | None = None,
    ) -> tuple[Tensor, Tensor, AttentionContext]:
        length = ops.shape(key)[2]
        distances = (length - 1) - ops.arange(2 * length)
        table = ops.cast(_sinusoids(distances, self.hidden_size), query.dtype)
        table = self.table_dropout(table, training=training)
        keys = self.table_heads(self.relative(table))  # [N, 2 * S, D]
        turned = (query + self.table_heads(self.relative_bias)) * self.scale
        bias = shifted(ops.matmul(turned, ops.swapaxes(keys, -1, -2)))
        if context.segment_ids is not None:
            bias = bias + self._segment_scores(query, context.segment_ids)
        query = query + self.table_heads(self.content_bias)
        return query, key, dataclasses.replace(context, score_bias=bias)

    def _segment_scores(self, query, segment_ids):
        """Return the segment score of each pair of tokens, [B, N, S, S]."""
        turned = (query + self.table_heads(self.segment_bias)) * self.scale
        vectors = self.table_heads(self.segment_embeddings)  # [N, 2, D]
        scores = ops.matmul(turned, ops.swapaxes(vectors, -1, -2))
        same, different = ops.split(scores, 2, axis=-1)  # [B, N, S, 1]
        # TFLite cannot add axes by slicing here.
        differs = ops.not_equal(
            ops.expand_dims(segment_ids, 2), ops.expand_dims(segment_ids, 1)
        )
        differs = ops.expand_dims(differs, 1)  # [B, 1, S, S]
        differs = ops.cast(differs, scores.dtype)
        return same + differs * (different - same)

    def flops(self, seq_length: int, num_queries: int) -> int:
        # Position scores are computed for all queries.
        of_table = 2 * 2 * seq_length * self.hidden_size**2
        of_scores = 2 * 2 * seq_length**2 * self.hidden_size
        return super().flops(seq_length, num_queries) + of_table + of_scores


def _sinusoids(positions, size):
    """Return sines and cosines of positions, float32 [positions, size]."""
    exponents = np.arange(0, size, 2, dtype="float32") / size
    speeds = (1.0 / np.float32(_THETA) ** exponents).astype("float32")
    angles = ops.expand_dims(ops.cast(positions, "float32"), 1) * speeds
    return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=1)
