"""Every token looks at the tokens of its sequence."""

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import check_places
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.attention_patterns import is_long
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import make_dense
from keras_bert.layers.layer import Layer
from keras_bert.layers.positions import gather_positions
from keras_bert.layers.positions import split_blocks
from keras_bert.layers.positions import with_neighbours
from keras_bert.layers.query_chunks import attend_in_chunks
from keras_bert.layers.query_chunks import is_in_chunks

# Far below any score, yet small enough for float16: its exponential is
# exactly 0 beside a real score, and a row of nothing else stays finite.
_IGNORED_SCORE = -10000.0
# What `about` may say that attention alone looks at.
_OF_TOKENS = {"position", "text"}


@keras.saving.register_keras_serializable("keras_bert")
class SelfAttention(Layer):
    """Multi-head scaled dot-product self-attention.

    Query, key and value come from one matrix product, whose output holds the
    three one after the other, each `num_heads` heads of
    `hidden_size / num_heads`. The softmax is computed in float32. Where no
    weights are dropped, those of a row of more than 512 tokens are never all
    in memory, if its length is known when the graph is made.

    Args:
        hidden_size: int, width of the inputs and of the output.
        num_heads: int, must divide `hidden_size`.
        dropout: float, rate on the attention weights.
        kernel_initializer: Keras initializer of the matrices.
        output_dropout: float, rate on the output.
        pattern: function of query and key positions that says which keys a
            query attends to, such as `keras_bert.layers.causal`; None for
            all. Where it says its `reach`, in long rows only near tokens are
            compared, and memory grows as the rows do.
        use_bias: bool, whether both matrix products add a bias.
        rotary: `keras_bert.layers.Rotary`, which turns queries and keys by
            their positions; None for vectors that know theirs.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 attends to
            the token, 0 does not. By default Keras's mask of the inputs, or
            all are attended to. A row of only zeros attends as it would
            without a mask.
        query_positions: int32 `(batch_size, num_queries)`, the positions to
            compute the output at. Without it, at all of them.
        about: dict of int32 `(batch_size, seq_length)` tensors, more that is
            known of the tokens: by "position" the place in its text, where
            that is not the place in the row; by "text" the number of its
            text, where a row holds several, which do not see each other. In
            long rows the tokens of a text stand together, in order. By
            "score_bias" float `(1, num_heads, seq_length, seq_length)`, what
            is added to the scores, for a layer without `reach`. By
            "query_states" float `(batch_size, seq_length, hidden_size)`, what
            queries are made of in the place of the inputs.

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
        hidden_size,
        num_heads,
        dropout=DROPOUT,
        kernel_initializer=None,
        output_dropout=0.0,
        pattern=None,
        use_bias=True,
        rotary=None,
        **kwargs,
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
                f"or None. Received: pattern={pattern!r}."
            )
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.dropout = dropout
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.pattern = pattern
        self.use_bias = use_bias
        self.rotary = rotary
        self.query_key_value = self._dense(3 * hidden_size, "query_key_value")
        self.weights_dropout = self._dropout(dropout, "weights_dropout")
        self.attention_output = self._dense(hidden_size, "attention_output")
        self.output_dropout = self._dropout(output_dropout, "output_dropout")

    def _dense(self, units, name):
        return make_dense(self, units, name, use_bias=self.use_bias)

    def _dropout(self, rate, name):
        return Dropout(rate, dtype=self.dtype_policy, name=name)

    def build(self, inputs_shape):
        batch_size, seq_length, _ = inputs_shape
        self.query_key_value.build(inputs_shape)
        self.weights_dropout.build(
            (batch_size, self.num_heads, seq_length, seq_length)
        )
        self.attention_output.build(inputs_shape)
        self.output_dropout.build(inputs_shape)

    def call(
        self,
        inputs,
        attention_mask=None,
        query_positions=None,
        about=None,
        training=None,
        mask=None,
    ):
        attention_mask = mask if attention_mask is None else attention_mask
        check_places(inputs, attention_mask=attention_mask)
        heads = self.heads(self.query_key_value(inputs))
        if about and "query_states" in about:
            # Two thirds of this product go unused: it is of one block only.
            others = self.query_key_value(about["query_states"])
            heads = [self.heads(others)[0], *heads[1:]]
        context = self.attend(
            heads,
            attention_mask,
            query_positions,
            about,
            training,
        )  # [B, N, Q, D]
        output = self.attention_output(self.joined(context))
        return self.output_dropout(output, training=training)

    def compute_mask(self, inputs, previous_mask):
        return previous_mask

    def attend(
        self,
        heads,
        attention_mask=None,
        query_positions=None,
        about=None,
        training=None,
    ):
        """The values that each token takes, head by head.

        Args:
            heads: list of queries, keys and values, each float `(batch_size,
                num_heads, seq_length, head_size)`, of all heads or some.
            attention_mask, query_positions, about, training: those of a call.

        Returns:
            float `(batch_size, num_heads, num_queries, head_size)`.
        """
        about = about or {}
        query, key, value = heads
        query, key = self._positioned(query, key, about)

        def of_all():
            weights = self._weights(
                query, key, attention_mask, query_positions, about
            )
            weights = self.weights_dropout(weights, training=training)
            return ops.matmul(weights, value)

        def of_chunks():
            return attend_in_chunks(
                query * self.head_size**-0.5,
                key,
                value,
                lambda scores, start: self._chunk_softmax(
                    scores, start, attention_mask, about
                ),
            )

        def of_near():
            ignored = self._ignored_near(
                ops.shape(key)[2], attention_mask, about
            )
            return self._of_near(query, key, value, ignored, training)

        long = False
        # A few queries need no blocks.
        if query_positions is None and hasattr(self.pattern, "reach"):
            long = is_long(self.pattern, ops.shape(key)[2])
        if not isinstance(long, bool):
            return ops.cond(long, of_near, of_all)
        if long:
            return of_near()
        # Scores may be of more than queries and keys, and what is dropped
        # would have to be dropped again for the gradient.
        is_plain = query_positions is None and not about.keys() - _OF_TOKENS
        drops = training and self.dropout
        if is_plain and not drops and is_in_chunks(ops.shape(key)[2]):
            return of_chunks()
        return of_all()

    def _chunk_softmax(self, scores, start, attention_mask, about):
        """float32 weights of queries that stand together."""
        num_queries, seq_length = ops.shape(scores)[2:]
        positions = ops.arange(start, start + num_queries)[None]
        ignored = self._ignored(seq_length, attention_mask, positions, about)
        return self._wide_softmax(scores, ignored)

    def heads(self, query_key_value):
        """Splits what the layer of this name gives.

        Args:
            query_key_value: float `(batch_size, seq_length, 3 * hidden_size)`.

        Returns:
            Queries, keys and values, a list of float `(batch_size, num_heads,
            seq_length, head_size)`.
        """
        shape = ops.shape(query_key_value)[1], 3, self.num_heads, self.head_size
        heads = ops.reshape(query_key_value, (-1, *shape))
        return ops.unstack(ops.transpose(heads, (2, 0, 3, 1, 4)), 3)

    def joined(self, context):
        """Puts beside each other what all heads have attended to.

        Args:
            context: float `(batch_size, num_heads, num_queries, head_size)`.

        Returns:
            float `(batch_size, num_queries, hidden_size)`.
        """
        context = ops.transpose(context, (0, 2, 1, 3))
        shape = (*ops.shape(context)[:2], self.hidden_size)
        return ops.reshape(context, shape)

    def next_context(self, query, key, value, places):
        """The values that one token takes, of itself and those before it.

        Args:
            query: float `(batch_size, num_heads, 1, head_size)`.
            key, value: float `(batch_size, num_heads, size, head_size)`; those
                that the pattern keeps from the token may be anything.
            places: int32 `(batch_size, 1)`, where it stands.

        Returns:
            float `(batch_size, 1, hidden_size)`.
        """
        query = ops.swapaxes(query * self.head_size**-0.5, -1, -2)
        # The keys stand first, so that they are not transposed.
        scores = ops.swapaxes(ops.matmul(key, query), -1, -2)  # [B, N, 1, T]
        keys = ops.arange(ops.shape(key)[2])
        attended = self.pattern(places[:, :, None], keys)
        ignored = (1.0 - ops.cast(attended, "float32"))[:, None]
        context = ops.matmul(self._softmax(scores, ignored), value)
        return ops.reshape(context, (-1, 1, self.hidden_size))

    def _of_near(self, query, key, value, ignored, training):
        """The context of keys in a query's block and its neighbours."""
        size = self.pattern.reach
        blocks = split_blocks(query * self.head_size**-0.5, size)
        near_key, near_value = (
            with_neighbours(split_blocks(x, size)) for x in (key, value)
        )  # [B, N, M, 3 * b, D]
        scores = ops.matmul(blocks, ops.swapaxes(near_key, -1, -2))
        weights = self._softmax(scores, ignored)  # [B, N, M, b, 3 * b]
        weights = self.weights_dropout(weights, training=training)
        context = ops.matmul(weights, near_value)
        num_rows = ops.shape(context)[2] * size
        context = ops.reshape(
            context, (-1, query.shape[1], num_rows, self.head_size)
        )
        return context[:, :, : ops.shape(query)[2]]

    def _ignored_near(self, seq_length, attention_mask, about):
        """float32, 1 where a key is ignored; to [B, N, M, b, 3 * b]."""

        def pairs(known):
            blocks = split_blocks(
                ops.expand_dims(known, -1), self.pattern.reach
            )
            return blocks, ops.swapaxes(with_neighbours(blocks), -1, -2)

        places = ops.expand_dims(ops.arange(seq_length), 0)
        # What blocks are filled up with is no token either.
        tokens = places >= 0 if attention_mask is None else attention_mask
        tokens = ops.cast(tokens, "int32")
        near = self.pattern(*pairs(about.get("position", places)))
        attended = ops.logical_and(near, pairs(tokens)[1] > 0)
        if "text" in about:
            queries, keys = pairs(about["text"])
            attended = ops.logical_and(attended, queries == keys)
        return ops.expand_dims(1.0 - ops.cast(attended, "float32"), 1)

    def attention_weights(self, inputs, attention_mask=None, about=None):
        """Return the attention weights that `call` multiplies by.

        Args:
            inputs, attention_mask, about: those of a call.

        Returns:
            float `(batch_size, num_heads, seq_length, seq_length)`, queries
            before keys; those of a query sum to 1.
        """
        about = about or {}
        query, key, _ = self.heads(self.query_key_value(inputs))
        query, key = self._positioned(query, key, about)
        return self._weights(query, key, attention_mask, None, about)

    def flops(self, seq_length, num_queries):
        """Count the operations of the matrix products, per example.

        A multiplication and an addition are two. Every pair of a query and a
        key is computed, whatever the pattern, except in blocks of long rows.

        Args:
            seq_length: int, number of keys.
            num_queries: int.

        Returns:
            int
        """
        square = 2 * self.hidden_size**2
        num_keys = seq_length
        if num_queries == seq_length and is_long(self.pattern, seq_length):
            num_keys = 3 * self.pattern.reach
        scores_and_values = 2 * 2 * num_keys * self.hidden_size
        at_query = 2 * square + scores_and_values
        return 2 * square * seq_length + at_query * num_queries

    def _positioned(self, query, key, about):
        if self.rotary is None:
            return query, key
        positions = ops.arange(ops.shape(key)[2])
        if "position" in about:
            positions = ops.expand_dims(about["position"], 1)  # [B, 1, S]
        return self.rotary(query, positions), self.rotary(key, positions)

    def _weights(self, query, key, attention_mask, query_positions, about):
        if query_positions is not None:
            positions = ops.repeat(
                query_positions[:, None], query.shape[1], axis=1
            )
            query = gather_positions(query, positions)  # [B, N, Q, D]
        scores = ops.matmul(
            query * self.head_size**-0.5, ops.transpose(key, (0, 1, 3, 2))
        )  # [B, N, Q, S]
        if "score_bias" in about:
            bias = about["score_bias"]
            if query_positions is not None:
                bias = gather_positions(bias, positions)
            scores += bias
        ignored = self._ignored(
            ops.shape(key)[2], attention_mask, query_positions, about
        )
        return self._softmax(scores, ignored)

    def _ignored(self, seq_length, attention_mask, query_positions, about):
        """float32, 1 where a key is ignored; broadcasts to [B, N, Q, S]."""
        ignored = None
        if attention_mask is not None:
            ignored = 1.0 - ops.cast(attention_mask, "float32")
            # A slice with two new axes is no op that TFLite has.
            ignored = ops.expand_dims(ignored, (1, 2))
        for attended in self._attended(seq_length, query_positions, about):
            outside = (1.0 - ops.cast(attended, "float32"))[:, None]
            ignored = (
                outside if ignored is None else ops.maximum(outside, ignored)
            )
        return ignored

    def _attended(self, seq_length, query_positions, about):
        """Yields bool [B, Q, S], each True where it lets a query attend."""
        if "text" in about:
            queries, keys = _pairs(about["text"], query_positions)
            yield queries == keys
        if self.pattern is None:
            return
        if "position" in about:
            yield self.pattern(*_pairs(about["position"], query_positions))
        else:
            keys = ops.arange(seq_length)
            queries = keys[None] if query_positions is None else query_positions
            yield self.pattern(queries[:, :, None], keys)

    def _softmax(self, scores, ignored):
        return ops.cast(self._wide_softmax(scores, ignored), self.compute_dtype)

    def _wide_softmax(self, scores, ignored):
        scores = ops.cast(scores, "float32")
        if ignored is not None:
            scores += ignored * _IGNORED_SCORE
        return ops.softmax(scores)

    def compute_output_shape(self, inputs_shape, query_positions_shape=None):
        rows = query_positions_shape or inputs_shape
        return (*rows[:2], self.hidden_size)

    def get_config(self):
        rate = self.output_dropout.rate
        return {**super().get_config(), "output_dropout": rate}


def _pairs(known, query_positions):
    """What is known of the queries, [B, Q, 1], and of the keys, [B, 1, S]."""
    queries = known
    if query_positions is not None:
        queries = ops.take_along_axis(known, query_positions, axis=1)
    return ops.expand_dims(queries, 2), ops.expand_dims(known, 1)
