"""Multi-head self-attention."""

import functools
import typing
from collections.abc import Callable

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import check_token_shapes
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.attention import attend_to_all
from keras_bert.layers.attention.attention import attention_weights
from keras_bert.layers.attention.attention_patterns import Pattern
from keras_bert.layers.attention.attention_patterns import max_full_length
from keras_bert.layers.attention.attention_patterns import uses_blocks
from keras_bert.layers.attention.fused import attend_fused
from keras_bert.layers.attention.fused import has_fused_attention
from keras_bert.layers.attention.query_chunks import attend_in_chunks
from keras_bert.layers.attention.query_chunks import is_in_chunks
from keras_bert.layers.attention.sliding_window import attend_in_blocks
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.flat_dense import make_dense
from keras_bert.layers.layer import Layer
from keras_bert.messages import brief
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@keras.saving.register_keras_serializable("keras_bert")
class SelfAttention(Layer):
    """Multi-head scaled dot-product self-attention.

    A single dense layer projects the inputs to queries, keys and values, with
    `num_heads` heads of size `hidden_size / num_heads`. The softmax is computed
    in float32. Sequences of more than 512 tokens are computed in chunks to save
    memory, if the length is known when the graph is built and no attention
    weights are dropped.

    Args:
        hidden_size: size of the input and output vectors.
        num_heads: number of attention heads. Must divide `hidden_size`.
        dropout: dropout rate applied to the attention weights.
        kernel_initializer: Keras initializer for the kernels.
        output_dropout: dropout rate applied to the output.
        pattern: function of query and key positions that returns the bool mask
            of the keys that a query attends to, such as
            `keras_bert.layers.causal`, or None for all keys. Long sequences
            with a pattern that has a `reach` use block-local attention.
        use_bias: whether both matrix products add a bias.
        rotary: `keras_bert.layers.Rotary`, which rotates queries and keys by
            their positions, or None.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore. Defaults to the Keras mask of the
            inputs, or to all tokens. If the mask of a sequence is all zeros,
            its tokens attend to all tokens.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.
        context: dict of other fields of
            `keras_bert.layers.attention.attention.AttentionContext`.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> attention = keras_bert.layers.SelfAttention(8, num_heads=2)
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Attention Is All You Need](https://arxiv.org/abs/1706.03762),
        section 3.2
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = DROPOUT,
        kernel_initializer: Initializer = None,
        output_dropout: float = 0.0,
        pattern: Pattern | None = None,
        use_bias: bool = True,
        rotary: Callable[..., Tensor] | None = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, hidden_size=hidden_size, num_heads=num_heads)
        checks.share(dropout=dropout, output_dropout=output_dropout)
        if hidden_size % num_heads:
            raise ValueError(
                "`hidden_size` must be divisible by `num_heads`. Received: "
                f"hidden_size={hidden_size}, num_heads={num_heads}."
            )
        if not (pattern is None or callable(pattern)):
            raise ValueError(
                "`pattern` must be a function of query and key positions, "
                f"or None. Received: pattern={brief(pattern)}."
            )
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.scale = self.head_size**-0.5
        self.dropout = dropout
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.pattern: typing.Any = pattern
        self.use_bias = use_bias
        self.rotary = rotary
        self.query_key_value = self._dense(3 * hidden_size, "query_key_value")
        self.weights_dropout = self._dropout(dropout, "weights_dropout")
        self.attention_output = self._dense(hidden_size, "attention_output")
        self.output_dropout = self._dropout(output_dropout, "output_dropout")

    @property
    def max_full_length(self) -> int | None:
        """Length of the longest sequence with full attention, or None."""
        return max_full_length(self.pattern)

    def _dense(self, units: int, name: str) -> FlatDense:
        return make_dense(self, units, name, use_bias=self.use_bias)

    def _dropout(self, rate: float, name: str) -> Dropout:
        return Dropout(rate, dtype=self.dtype_policy, name=name)

    def call(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        query_positions: Tensor | None = None,
        context: Tensors | None = None,
        training: bool | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        attention_mask = mask if attention_mask is None else attention_mask
        check_token_shapes(inputs, attention_mask=attention_mask)
        properties = AttentionContext(
            attention_mask, query_positions, **(context or {})
        )
        heads = self.project(inputs, properties)  # [B, N, S, D] each.
        attended = self.join(self.attend(heads, properties, training))
        output = self.attention_output(attended)
        return self.output_dropout(output, training=training)

    def compute_mask(self, inputs: Tensor, previous_mask: Tensor) -> Tensor:
        return previous_mask

    def project(
        self, inputs: Tensor, context: AttentionContext
    ) -> list[Tensor]:
        """Project inputs to queries, keys and values, see `heads`."""
        heads = self.heads(self.query_key_value(inputs))
        if context.query_inputs is not None:
            # Two thirds of this product are not used, but this affects only one
            # block.
            queries = self.query_key_value(context.query_inputs)
            heads[0] = self.heads(queries)[0]
        return heads

    def heads(self, query_key_value: Tensor) -> list[Tensor]:
        """Split the outputs of the layer `query_key_value` into heads.

        Args:
            query_key_value: float `(batch_size, seq_length, 3 * hidden_size)`.

        Returns:
            Queries, keys and values, float `(batch_size, num_heads,
            seq_length, head_size)`.
        """
        shape = ops.shape(query_key_value)[1], 3, self.num_heads, self.head_size
        heads = ops.reshape(query_key_value, (-1, *shape))  # [B, S, 3, N, D]
        # [3, B, N, S, D]
        return [*ops.unstack(ops.transpose(heads, (2, 0, 3, 1, 4)), 3)]

    def table_heads(self, rows: Tensor) -> Tensor:
        """Split vectors that all examples share into heads.

        Args:
            rows: float `(num_rows, hidden_size)`, or one vector.

        Returns:
            float `(num_heads, num_rows, head_size)`.
        """
        # [num_rows, N, D]
        heads = ops.reshape(rows, (-1, self.num_heads, self.head_size))
        return ops.transpose(heads, (1, 0, 2))

    def position(
        self,
        query: Tensor,
        key: Tensor,
        context: AttentionContext,
        training: bool | None = None,
    ) -> tuple[Tensor, Tensor, AttentionContext]:
        """Apply position information to queries, keys or the score bias."""
        if self.rotary is not None:
            positions = ops.arange(ops.shape(key)[2])  # [S]
            if context.positions is not None:
                positions = ops.expand_dims(context.positions, 1)  # [B, 1, S]
            query, key = (self.rotary(x, positions) for x in (query, key))
        return query, key, context

    def attend(
        self,
        heads: list[Tensor],
        context: AttentionContext,
        training: bool | None = None,
    ) -> Tensor:
        """Compute the attention output of each head.

        Args:
            heads: queries, keys and values, each float `(batch_size, num_heads,
                seq_length, head_size)`, of all or some heads.
            context: masks and other inputs.
            training: whether to apply dropout to the weights.

        Returns:
            float `(batch_size, num_heads, num_queries, head_size)`.
        """
        query, key, value = heads
        query, key, context = self.position(query, key, context, training)
        # [B, N, Q, D]; scaling the scores would take more time.
        query = context.at_queries(query) * self.scale
        dropout = functools.partial(self.weights_dropout, training=training)

        def by(attend: Callable[..., Tensor]) -> Tensor:
            return attend(query, key, value, context, self.pattern, dropout)

        length = ops.shape(key)[2]
        if context.query_positions is not None:
            return by(attend_to_all)  # A few queries do not need blocks.
        long = uses_blocks(self.pattern, length)
        if not isinstance(long, bool):
            # The length is known only when the graph runs.
            ways = attend_in_blocks, attend_to_all
            return ops.cond(long, *(functools.partial(by, x) for x in ways))
        if long:
            return by(attend_in_blocks)
        # A fused kernel and chunks compute no weights to drop or to add to.
        is_plain = context.score_bias is None and not (
            training and self.dropout
        )
        if is_plain and has_fused_attention():
            return by(attend_fused)
        if is_plain and is_in_chunks(length):
            return by(attend_in_chunks)
        return by(attend_to_all)

    def join(self, attended: Tensor) -> Tensor:
        """Concatenate the outputs of the heads.

        Args:
            attended: float `(batch_size, num_heads, num_queries, head_size)`.

        Returns:
            float `(batch_size, num_queries, hidden_size)`.
        """
        attended = ops.transpose(attended, (0, 2, 1, 3))  # [B, Q, N, D]
        shape = (*ops.shape(attended)[:2], self.hidden_size)
        return ops.reshape(attended, shape)

    def attention_weights(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        context: Tensors | None = None,
    ) -> Tensor:
        """Return the attention weights of a call, without dropout.

        Args:
            inputs, attention_mask, context: call arguments.

        Returns:
            float `(batch_size, num_heads, seq_length, seq_length)`, with the
            query axis before the key axis. The weights of a query sum to 1.
        """
        given = AttentionContext(attention_mask, **(context or {}))
        query, key, *_ = self.project(inputs, given)
        query, key, given = self.position(query, key, given)
        return attention_weights(query * self.scale, key, given, self.pattern)

    def flops(self, seq_length: int, num_queries: int) -> int:
        """Return the number of floating-point operations per example.

        Only matrix products are counted. A multiplication and an addition are
        two operations. Masked pairs of query and key count too, except in
        block-local attention.

        Args:
            seq_length: number of keys.
            num_queries: number of queries.
        """
        square = 2 * self.hidden_size**2
        num_keys = seq_length
        if num_queries == seq_length and uses_blocks(self.pattern, seq_length):
            num_keys = 3 * self.pattern.reach
        scores_and_values = 2 * 2 * num_keys * self.hidden_size
        at_query = 2 * square + scores_and_values
        return 2 * square * seq_length + at_query * num_queries

    def compute_output_shape(
        self, inputs_shape: Shape, query_positions_shape: Shape | None = None
    ) -> Shape:
        rows = query_positions_shape or inputs_shape
        return (*rows[:2], self.hidden_size)
