"""Attention functions: full attention and single-query steps.

The functions in this module, `sliding_window` and `query_chunks` take the same
arguments, so that a layer can choose one by the sequence length.

Comments give shapes in letters: B batch, N heads, Q queries, S sequence (keys),
D head size, H hidden size.
"""

import dataclasses
import typing
from collections.abc import Callable

from keras import ops

from keras_bert.layers.attention.attention_patterns import Pattern
from keras_bert.layers.positions import gather_positions
from keras_bert.typing import Tensor

# This value is added to masked scores. It makes their softmax weight exactly 0
# if another score is not masked, fits float16, and keeps the softmax finite if
# all scores are masked.
_IGNORED_SCORE = -10000.0


@dataclasses.dataclass(frozen=True)
class AttentionContext:
    """Optional inputs of the attention functions, such as masks and biases.

    Blocks take the fields after `query_positions` as a dict, because Keras
    tracks tensors in dicts only.

    Args:
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts. Defaults to the positions in the sequence.
        text_numbers: int32 `(batch_size, seq_length)`, index of each token's
            text in a packed sequence. Tokens of different texts do not attend
            to each other. In long sequences the tokens of a text must be
            contiguous and in order.
        score_bias: float `(1, num_heads, seq_length, seq_length)`, added to
            the scores.
        relative_table: float `(num_rows, hidden_size)`, embeddings of relative
            positions.
        query_inputs: float `(batch_size, seq_length, hidden_size)`, inputs for
            the queries. Defaults to the inputs for the keys and values.
        global_tokens: `(batch_size, num_globals, seq_length)`, output of
            `GlobalTokens`. All tokens attend to these tokens, regardless of the
            pattern.
        segment_ids: int32 `(batch_size, seq_length)`, segments of the tokens,
            for layers that compare them.
        ranks: int32 `(batch_size, seq_length)`, ranks of the tokens in the
            prediction order. Tokens attend up to their own rank; with
            `query_inputs`, queries attend to lower ranks only.
    """

    attention_mask: Tensor | None = None
    query_positions: Tensor | None = None
    positions: Tensor | None = None
    text_numbers: Tensor | None = None
    score_bias: Tensor | None = None
    relative_table: Tensor | None = None
    query_inputs: Tensor | None = None
    global_tokens: Tensor | None = None
    segment_ids: Tensor | None = None
    ranks: Tensor | None = None

    def __post_init__(self) -> None:
        if self.text_numbers is not None and self.global_tokens is not None:
            raise ValueError(
                "Packed sequences cannot have global tokens. Use one text "
                "per sequence. Received: `global_tokens` and `text_numbers`."
            )

    def at_queries(self, values: Tensor) -> Tensor:
        """Gather the vectors at the query positions in each head.

        Args:
            values: float `(batch_size, num_heads, seq_length, size)`.

        Returns:
            float `(batch_size, num_heads, num_queries, size)`.
        """
        if self.query_positions is None:
            return values
        # Broadcast to all heads. `ops.repeat` has no symbolic shape on PyTorch,
        # and `ops.tile` of Keras 3.12 needs an op that was not tested on
        # TensorFlow Serving 2.12.
        heads = ops.zeros((1, values.shape[1], 1), "int32")
        positions = self.query_positions[:, None] + heads  # [B, N, Q]
        return gather_positions(values, positions)


def attend_to_all(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    context: AttentionContext,
    pattern: Pattern | None,
    dropout: Callable[[Tensor], Tensor],
) -> Tensor:
    """Attend to all keys.

    Args:
        query: float `(batch_size, num_heads, num_queries, head_size)`, scaled
            query vectors at the query positions in `context`.
        key, value: float `(batch_size, num_heads, seq_length, head_size)`.
        context: masks and other inputs.
        pattern: callable that takes query and key positions and returns a bool
            mask of the keys to attend to. If None, queries attend to all keys.
        dropout: callable applied to the attention weights.

    Returns:
        float `(batch_size, num_heads, num_queries, head_size)`.
    """
    weights = attention_weights(query, key, context, pattern)  # [B, N, Q, S]
    return ops.matmul(dropout(weights), value)  # [B, N, Q, D]


def attend_to_next(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    context: AttentionContext,
    pattern: Pattern | None,
    dropout: Callable[[Tensor], Tensor],
) -> Tensor:
    """Compute attention for a single query per sequence.

    The query is at `context.query_positions`. The keys are the left operand of
    the matrix product, which avoids a transpose.
    """
    scores = transposed(ops.matmul(key, transposed(query)))  # [B, N, 1, S]
    ignored = ignored_keys(context, pattern, ops.shape(key)[2])  # [B, 1, 1, S]
    return ops.matmul(dropout(softmax(scores, ignored, value.dtype)), value)


def attention_weights(
    query: Tensor,
    key: Tensor,
    context: AttentionContext,
    pattern: Pattern | None,
) -> Tensor:
    """Return weights `(batch_size, num_heads, num_queries, seq_length)`."""
    scores = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2)))  # [B, N, Q, S]
    if context.score_bias is not None:
        bias = context.at_queries(context.score_bias)  # [1 or B, N, Q, S]
        # The bias may have more precision than the scores.
        scores = ops.cast(scores, bias.dtype) + bias
    ignored = ignored_keys(context, pattern, ops.shape(key)[2])
    return softmax(scores, ignored, key.dtype)


def softmax(
    scores: Tensor, ignored: Tensor | None, dtype: typing.Any
) -> Tensor:
    """Compute the softmax in float32 and cast it.

    Args:
        scores: float, of any shape.
        ignored: float32, 1 at keys to ignore, or None.
        dtype: dtype of the result.
    """
    return ops.cast(ops.softmax(masked_scores(scores, ignored)), dtype)


def masked_scores(scores: Tensor, ignored: Tensor | None) -> Tensor:
    """Cast scores to float32 and mask them where `ignored` is 1."""
    scores = ops.cast(scores, "float32")
    return scores if ignored is None else scores + ignored * _IGNORED_SCORE


def ignored_keys(
    context: AttentionContext, pattern: Pattern | None, length: int | Tensor
) -> Tensor | None:
    """Return a float32 mask that is 1 at keys to ignore, or None.

    The mask broadcasts to the scores. None means that no key is ignored.
    """
    indices = ops.expand_dims(ops.arange(length), 0)  # [1, S]
    chosen = context.query_positions  # [B, Q] or None

    def queries(known: Tensor) -> Tensor:
        # The indices at the query positions are these positions: no gather.
        if chosen is not None and known is indices:
            known = chosen
        elif chosen is not None:
            known = ops.take_along_axis(known, chosen, axis=1)
        return ops.expand_dims(known, 2)  # [B, Q, 1]

    def keys(known: Tensor) -> Tensor:
        return ops.expand_dims(known, 1)  # [B, 1, S]

    return ignored_pairs(context, pattern, indices, queries, keys)


def ignored_pairs(
    context: AttentionContext,
    pattern: Pattern | None,
    indices: Tensor,
    queries: Callable[[Tensor], Tensor],
    keys: Callable[[Tensor], Tensor],
) -> Tensor | None:
    """Combine attention mask, packed texts, ranks and pattern into one mask.

    Args:
        context: masks and other inputs.
        pattern: callable of query and key positions, or None.
        indices: int32 `(1, seq_length)`, indices of the tokens in the sequence.
        queries, keys: callables that reshape a tensor with one value per token,
            so that it broadcasts along the query or the key axis of the scores
            (without the heads axis).

    Returns:
        float32 mask that is 1 at pairs to ignore, or None.
    """
    attended = []  # Masks that broadcast to [B, Q, S], or to blocks of it.
    if context.attention_mask is not None:
        attended.append(keys(context.attention_mask))
    if context.text_numbers is not None:
        numbers = context.text_numbers
        attended.append(queries(numbers) == keys(numbers))
    if context.ranks is not None:
        own, other = queries(context.ranks), keys(context.ranks)
        # Queries with their own inputs must not see the predicted token.
        is_query = context.query_inputs is not None
        attended.append(other < own if is_query else other <= own)
    if pattern is not None:
        positions = context.positions
        positions = indices if positions is None else positions
        seen = pattern(queries(positions), keys(positions))
        if context.global_tokens is not None:
            is_global = ops.sum(context.global_tokens, axis=1) > 0  # [B, S]
            seen = ops.logical_or(seen, keys(is_global))
        attended.append(seen)
    ignored = None
    for each in attended:
        outside = 1.0 - ops.cast(each, "float32")
        ignored = outside if ignored is None else ops.maximum(ignored, outside)
    # TFLite does not support slices with a new axis.
    return None if ignored is None else ops.expand_dims(ignored, 1)


def transposed(values: Tensor) -> Tensor:
    """Swap the last two axes."""
    return ops.swapaxes(values, -1, -2)
