"""Attention that scores content and distance apart."""

import dataclasses

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.self_attention import SelfAttention


@keras.saving.register_keras_serializable("keras_bert")
class DisentangledAttention(SelfAttention):
    """Self-attention whose scores add what tokens think of their distance.

    To the product of query and key come that of the query with a key of the
    distance, and that of the key with a query of the distance. Both are made
    of one table of vectors by the matrix of the tokens' own. Rows of that
    table are for single distances near by, for ranges of them farther away.

    Scores of all distances are one product each, whose rows are shifted
    against each other: no vector is looked up for a pair of tokens.

    Args:
        hidden_size: int, width of the inputs and of the output.
        num_heads: int, must divide `hidden_size`.
        num_buckets: int, rows of the table in each direction.
        max_distance: int, the distance from which on all are one row.
        **kwargs: other arguments of `SelfAttention`. Its `output_dropout` is
            that of the table's vectors too.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 attends to
            the token, 0 does not.
        query_positions: int32 `(batch_size, num_queries)`, the positions to
            compute the output at. Without it, at all of them.
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
        [DeBERTa](https://arxiv.org/abs/2006.03654), section 3.1. Its equation
        4 has the distance of the third product the wrong way round.
        [DeBERTaV3](https://arxiv.org/abs/2111.09543)
    """

    def __init__(
        self, hidden_size, num_heads, num_buckets, max_distance, **kwargs
    ):
        super().__init__(hidden_size, num_heads, **kwargs)
        checks.at_least(1, num_buckets=num_buckets, max_distance=max_distance)
        if not 0 < num_buckets // 2 < max_distance - 1:
            raise ValueError(
                "`num_buckets` must be at least 2, and half of them less than "
                "`max_distance` - 1. Received: "
                f"num_buckets={num_buckets}, max_distance={max_distance}."
            )
        # Three products are added.
        self.scale = (3 * self.head_size) ** -0.5
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.table_dropout = Dropout(
            self.output_dropout.rate,
            dtype=self.dtype_policy,
            name="table_dropout",
        )
        self._rows = relative_rows(num_buckets, max_distance)

    def position(self, query, key, context, training=None):
        table = self.table_dropout(context.relative_table, training=training)
        scaled = query * self.scale
        length, farthest = ops.shape(key)[2], self.max_distance
        distances = ops.arange(2 * length) - (length - 1)
        distances = ops.clip(distances, -farthest, farthest)
        # Of a query's place less a key's: along keys it falls.
        rising, falling = (
            ops.take(self._rows, farthest + x, axis=0)
            for x in (distances, -distances)
        )
        table_query, table_key = self._of_table(table, rising, falling)
        of_keys = ops.matmul(scaled, _transposed(table_key))  # [B, N, S, 2 * S]
        of_queries = ops.matmul(key, _transposed(self.scale * table_query))
        bias = _shifted(of_keys) + _transposed(_shifted(of_queries))
        return query, key, dataclasses.replace(context, score_bias=bias)

    def _of_table(self, table, rising, falling):
        """Queries of some rows and keys of others, each [N, 2 * S, D]."""
        dense, size = self.query_key_value, 2 * self.hidden_size
        if dense.quantization_mode:
            made = dense(table)[:, :size]  # Its kernel is no plain matrix.
        else:
            made = ops.matmul(table, dense.kernel[:, :size]) + dense.bias[:size]
        query, key = ops.split(made, 2, axis=-1)
        return (
            ops.take(self._table_heads(query), rising, axis=1),
            ops.take(self._table_heads(key), falling, axis=1),
        )

    def _table_heads(self, rows):
        """Splits vectors of distances; [N, R, D]."""
        heads = ops.reshape(rows, (-1, self.num_heads, self.head_size))
        return ops.transpose(heads, (1, 0, 2))

    def flops(self, seq_length, num_queries):
        of_table = 2 * 2 * 2 * self.num_buckets * self.hidden_size**2
        of_distances = 2 * 2 * 2 * seq_length * self.hidden_size
        # These are computed at every position.
        return (
            super().flops(seq_length, num_queries)
            + of_table
            + of_distances * seq_length
        )


def relative_rows(num_buckets, max_distance):
    """Computes the rows of a table of distances.

    Half of the rows of a direction are for single distances, the others for
    ranges that grow with them.

    Args:
        num_buckets: int, rows in each direction.
        max_distance: int, the distance from which on all are one row.

    Returns:
        int32 `(2 * max_distance + 1,)`, the rows of the distances from
        `-max_distance` to `max_distance`: a query's place less a key's.
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


def _shifted(values):
    """Moves row i of `(..., S, 2 * S)` by i to the left; `(..., S, S)`.

    The values are written out as one row and cut into rows that are one
    shorter.
    """
    batch_size, num_heads, length, width = ops.shape(values)
    row = ops.reshape(values, (batch_size, num_heads, length * width))
    row = row[:, :, length - 1 : length - 1 + length * (width - 1)]
    rows = (batch_size, num_heads, length, width - 1)
    return ops.reshape(row, rows)[..., :length]
