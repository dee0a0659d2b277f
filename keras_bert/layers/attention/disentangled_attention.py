"""Disentangled attention of DeBERTa: separate content and position scores."""

import dataclasses
import typing

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.layers.dropout import Dropout
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class DisentangledAttention(SelfAttention):
    """Self-attention with content-to-position and position-to-content scores.

    A score is the sum of three products: query and key, query and position key,
    key and position query. All blocks share the relative position embeddings.
    Position keys and position queries are projections of these embeddings. The
    projections use the same weights as the projections of the tokens. Each
    small distance has its own embedding. Large distances share embeddings in
    logarithmic ranges.

    Each of the two position scores is computed as one matrix product with all
    distances, followed by a shift of the rows. This is faster than gathering a
    vector for each pair of tokens.

    Args:
        hidden_size: size of the input and output vectors.
        num_heads: number of attention heads. Must divide `hidden_size`.
        num_buckets: number of relative position embeddings per direction.
        max_distance: maximum distance. Larger distances are clipped to it.
        **kwargs: other arguments of `SelfAttention`. `output_dropout` is also
            applied to the relative position embeddings.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.
        context: dict of fields of `AttentionContext`. Its `relative_table` is
            float `(2 * num_buckets, hidden_size)`.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> attention = keras_bert.layers.DisentangledAttention(8, 2, 4, 16)
    >>> context = {"relative_table": keras.ops.ones((8, 8))}
    >>> attention(keras.ops.ones((1, 4, 8)), context=context).shape
    TensorShape([1, 4, 8])

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654), section 3.1. Equation 4
        has the wrong sign in the distance of the third product.
        [DeBERTaV3](https://arxiv.org/abs/2111.09543)
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        num_buckets: int,
        max_distance: int,
        **kwargs: typing.Any,
    ):
        super().__init__(hidden_size, num_heads, **kwargs)
        checks.at_least(1, num_buckets=num_buckets, max_distance=max_distance)
        if not 0 < num_buckets // 2 < max_distance - 1:
            raise ValueError(
                "`num_buckets` must be at least 2, and `num_buckets` / 2 "
                "less than `max_distance` - 1. Received: "
                f"num_buckets={num_buckets}, max_distance={max_distance}."
            )
        # The score is a sum of three dot products.
        self.scale = (3 * self.head_size) ** -0.5
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.table_dropout = Dropout(
            self.output_dropout.rate,
            dtype=self.dtype_policy,
            name="table_dropout",
        )
        self._rows = relative_rows(num_buckets, max_distance)

    def position(
        self,
        query: Tensor,
        key: Tensor,
        context: AttentionContext,
        training: bool | None = None,
    ) -> tuple[Tensor, Tensor, AttentionContext]:
        table = self.table_dropout(context.relative_table, training=training)
        scaled = query * self.scale
        length, farthest = ops.shape(key)[2], self.max_distance
        distances = ops.arange(2 * length) - (length - 1)
        distances = ops.clip(distances, -farthest, farthest)
        # The distance is query position minus key position, so it decreases
        # along the keys.
        rising, falling = (
            ops.take(self._rows, farthest + x, axis=0)
            for x in (distances, -distances)
        )
        table_query, table_key = self._of_table(table, rising, falling)
        of_keys = ops.matmul(scaled, _transposed(table_key))  # [B, N, S, 2 * S]
        of_queries = ops.matmul(key, _transposed(self.scale * table_query))
        bias = shifted(of_keys) + _transposed(shifted(of_queries))
        return query, key, dataclasses.replace(context, score_bias=bias)

    def _of_table(self, table, rising, falling):
        """Return position queries and position keys, each [N, 2 * S, D]."""
        dense, size = self.query_key_value, 2 * self.hidden_size
        if dense.quantization_mode:
            made = dense(table)[:, :size]  # The kernel is quantized.
        else:
            made = ops.matmul(table, dense.kernel[:, :size]) + dense.bias[:size]
        query, key = ops.split(made, 2, axis=-1)
        return (
            ops.take(self.table_heads(query), rising, axis=1),
            ops.take(self.table_heads(key), falling, axis=1),
        )

    def flops(self, seq_length: int, num_queries: int) -> int:
        of_table = 2 * 2 * 2 * self.num_buckets * self.hidden_size**2
        of_distances = 2 * 2 * 2 * seq_length * self.hidden_size
        # Position scores are computed for all queries.
        return (
            super().flops(seq_length, num_queries)
            + of_table
            + of_distances * seq_length
        )


def relative_rows(num_buckets, max_distance):
    """Map distances to relative position embeddings, as in DeBERTa v2.

    In each direction, half of the embeddings represent single distances and the
    other half represent logarithmic ranges.

    Args:
        num_buckets: number of embeddings per direction.
        max_distance: maximum distance.

    Returns:
        int32 `(2 * max_distance + 1,)`, embedding indices of the distances from
        `-max_distance` to `max_distance`. A distance is the query position
        minus the key position.
    """
    distances = np.arange(-max_distance, max_distance + 1)
    middle = num_buckets // 2
    far = np.maximum(np.abs(distances), middle) / middle
    steps = np.log(far) / np.log((max_distance - 1) / middle) * (middle - 1)
    buckets = np.sign(distances) * (middle + np.ceil(steps))
    near = np.abs(distances) <= middle
    rows = np.where(near, distances, buckets) + num_buckets
    return np.clip(rows, 0, 2 * num_buckets - 1).astype("int32")


def _transposed(values):
    return ops.swapaxes(values, -1, -2)


def shifted(values):
    """Shift row i of `(..., S, 2 * S)` left by S - 1 - i and keep S columns.

    The values are flattened and reshaped into rows with one element fewer.
    """
    batch_size, num_heads, length, width = ops.shape(values)
    row = ops.reshape(values, (batch_size, num_heads, length * width))
    row = row[:, :, length - 1 : length - 1 + length * (width - 1)]
    rows = (batch_size, num_heads, length, width - 1)
    return ops.reshape(row, rows)[..., :length]
