"""Attention functions: full attention, block-local attention, one-query steps.

All take the arguments of `attend_to_all`, so that a layer can choose one by the
sequence length.
"""

import dataclasses
import typing

from keras import ops

from keras_bert.layers.positions import gather_positions
from keras_bert.layers.positions import split_blocks
from keras_bert.layers.positions import with_neighbours

# Added to masked scores. The softmax weight is exactly 0 next to a real score,
# the value fits float16, and a fully masked row stays finite.
IGNORED_SCORE = -10000.0


@dataclasses.dataclass(frozen=True)
class AttentionContext:
    """Optional inputs of attention: masks, positions, biases.

    Blocks take the fields after `query_positions` as a dict, because Keras
    tracks tensors in dicts only.

    Args:
        attention_mask: int or bool `(batch_size, seq_length)`; 1 attends to
            the token, 0 does not.
        query_positions: int32 `(batch_size, num_queries)`, the positions to
            compute the output at. By default all.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts. By default positions in the row.
        text_numbers: int32 `(batch_size, seq_length)`, number of each token's
            text in a packed row. Tokens of different texts do not attend to
            each other. In long rows the tokens of a text must be contiguous
            and in order.
        score_bias: float `(1, num_heads, seq_length, seq_length)`, added to
            the scores.
        relative_table: float `(num_rows, hidden_size)`, embeddings of relative
            positions.
        query_inputs: float `(batch_size, seq_length, hidden_size)`, inputs of
            the queries. By default the inputs of keys and values.
    """

    attention_mask: typing.Any = None
    query_positions: typing.Any = None
    positions: typing.Any = None
    text_numbers: typing.Any = None
    score_bias: typing.Any = None
    relative_table: typing.Any = None
    query_inputs: typing.Any = None

    def at_queries(self, values):
        """Gather the rows at the query positions in each head.

        Args:
            values: float `(batch_size, num_heads, seq_length, size)`.
        """
        if self.query_positions is None:
            return values
        positions = ops.repeat(
            self.query_positions[:, None], values.shape[1], axis=1
        )
        return gather_positions(values, positions)


def attend_to_all(query, key, value, context, pattern, dropout):
    """Attend to all keys.

    Args:
        query: float `(batch_size, num_heads, num_queries, head_size)`, scaled
            vectors at the query positions of the context.
        key, value: float `(batch_size, num_heads, seq_length, head_size)`.
        context: `AttentionContext`.
        pattern: function of query and key positions that returns the bool mask
            of the keys that a query attends to, or None for all keys.
        dropout: function applied to the attention weights.

    Returns:
        float `(batch_size, num_heads, num_queries, head_size)`.
    """
    weights = attention_weights(query, key, context, pattern)
    return ops.matmul(dropout(weights), value)


def attend_in_blocks(query, key, value, context, pattern, dropout):
    """Attend to the keys in the query's block and in the two adjacent blocks.

    The block size is the `reach` of the pattern. All positions are queries.
    """
    size, length = pattern.reach, ops.shape(key)[2]
    near_key, near_value = (
        with_neighbours(split_blocks(x, size)) for x in (key, value)
    )  # [B, N, M, 3 * b, D]
    scores = ops.matmul(split_blocks(query, size), transposed(near_key))

    def queries(known):
        return split_blocks(ops.expand_dims(known, -1), size)

    def keys(known):
        return transposed(with_neighbours(queries(known)))

    places = ops.expand_dims(ops.arange(length), 0)
    mask = context.attention_mask
    # The padding of the last block must be masked.
    mask = ops.ones_like(places) if mask is None else ops.cast(mask, "int32")
    context = dataclasses.replace(context, attention_mask=mask)
    ignored = _ignored(context, pattern, places, queries, keys)
    weights = dropout(softmax(scores, ignored, value.dtype))
    attended = ops.matmul(weights, near_value)  # [B, N, M, b, D]
    rows = ops.shape(attended)[2] * size
    shape = -1, query.shape[1], rows, query.shape[-1]
    return ops.reshape(attended, shape)[:, :, :length]


def attend_to_next(query, key, value, context, pattern, dropout):
    """Attend from a single token per row, at `context.query_positions`.

    The keys are the left factor of the product, which avoids a transpose.
    """
    scores = transposed(ops.matmul(key, transposed(query)))  # [B, N, 1, S]
    ignored = ignored_keys(context, pattern, ops.shape(key)[2])
    return ops.matmul(dropout(softmax(scores, ignored, value.dtype)), value)


def attention_weights(query, key, context, pattern):
    """Return weights `(batch_size, num_heads, num_queries, seq_length)`."""
    scores = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2)))
    if context.score_bias is not None:
        scores += context.at_queries(context.score_bias)
    ignored = ignored_keys(context, pattern, ops.shape(key)[2])
    return softmax(scores, ignored, key.dtype)


def softmax(scores, ignored, dtype):
    """Compute the softmax in float32 and cast it.

    Args:
        scores: float tensor.
        ignored: float32, 1 at keys to ignore, or None.
        dtype: dtype of the result.
    """
    scores = ops.cast(scores, "float32")
    if ignored is not None:
        scores += ignored * IGNORED_SCORE
    return ops.cast(ops.softmax(scores), dtype)


def ignored_keys(context, pattern, length):
    """Return a float32 mask, 1 at keys to ignore, or None to ignore no key.

    It broadcasts to the scores.
    """
    places = ops.expand_dims(ops.arange(length), 0)
    chosen = context.query_positions

    def queries(known):
        if chosen is not None and known is places:
            known = chosen
        elif chosen is not None:
            known = ops.take_along_axis(known, chosen, axis=1)
        return ops.expand_dims(known, 2)

    def keys(known):
        return ops.expand_dims(known, 1)

    return _ignored(context, pattern, places, queries, keys)


def _ignored(context, pattern, places, queries, keys):
    """Combine attention mask, packed texts and pattern into one mask.

    `queries` and `keys` align a tensor of tokens with the query and key axes of
    the scores, without the axis of heads.
    """
    attended = []
    if context.attention_mask is not None:
        attended.append(keys(context.attention_mask))
    if context.text_numbers is not None:
        numbers = context.text_numbers
        attended.append(queries(numbers) == keys(numbers))
    if pattern is not None:
        positions = context.positions
        positions = places if positions is None else positions
        attended.append(pattern(queries(positions), keys(positions)))
    ignored = None
    for each in attended:
        outside = 1.0 - ops.cast(each, "float32")
        ignored = outside if ignored is None else ops.maximum(ignored, outside)
    # TFLite does not support slices with a new axis.
    return None if ignored is None else ops.expand_dims(ignored, 1)


def transposed(values):
    """Swap the last two axes."""
    return ops.swapaxes(values, -1, -2)
