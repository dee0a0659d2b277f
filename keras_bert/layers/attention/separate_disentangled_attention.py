"""Disentangled attention of DeBERTa v1, with separate position projections."""

import typing

import keras
import numpy as np
from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.attention.disentangled_attention import (
    DisentangledAttention,
)
from keras_bert.layers.flat_dense import make_dense
from keras_bert.typing import Tensor

_FUSED = "query_key_value"


@keras.saving.register_keras_serializable("keras_bert")
class SeparateDisentangledAttention(DisentangledAttention):
    """Disentangled attention of DeBERTa v1.

    Position keys and position queries have separate projection matrices, and
    each distance below `max_distance` has its own embedding. Keys and position
    keys have no bias.

    Args:
        hidden_size, num_heads: arguments of `SelfAttention`.
        max_distance: number of relative position embeddings per direction.
        **kwargs: other arguments of `DisentangledAttention`.

    Call arguments:
        inputs, attention_mask, query_positions, context: call arguments of
            `DisentangledAttention`. The `relative_table` is float
            `(2 * max_distance, hidden_size)`.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> attention = keras_bert.layers.SeparateDisentangledAttention(8, 2, 4)
    >>> context = {"relative_table": keras.ops.ones((8, 8))}
    >>> attention(keras.ops.ones((1, 4, 8)), context=context).shape
    TensorShape([1, 4, 8])

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654), section 3.1
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        max_distance: int,
        **kwargs: typing.Any,
    ):
        super().__init__(
            hidden_size, num_heads, max_distance, max_distance, **kwargs
        )
        self.table_query = self._dense(hidden_size, "table_query")
        self.table_key = self._dense(hidden_size, "table_key")
        rows = np.arange(2 * max_distance + 1)
        self._rows = np.minimum(rows, rows[-2]).astype("int32")

    def _dense(self, units, name):
        use_bias = name not in (_FUSED, "table_key")
        return make_dense(self, units, name, use_bias=use_bias)

    def build(self, inputs_shape: Shape) -> None:
        super().build(inputs_shape)
        self.query_bias = self._bias("query_bias")
        self.value_bias = self._bias("value_bias")

    def _bias(self, name):
        return self.add_weight(
            name=name, shape=(self.hidden_size,), initializer="zeros"
        )

    def heads(self, query_key_value: Tensor) -> list[Tensor]:
        query, value = map(
            ops.convert_to_tensor, (self.query_bias, self.value_bias)
        )
        biases = ops.concatenate([query, ops.zeros_like(query), value])
        return super().heads(query_key_value + biases)

    def _of_table(self, table, rising, falling):
        return [
            self.table_heads(dense(ops.take(table, rows, axis=0)))
            for dense, rows in (
                (self.table_query, rising),
                (self.table_key, falling),
            )
        ]
