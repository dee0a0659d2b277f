"""Memory-efficient attention for long sequences, in chunks of queries."""

from collections.abc import Callable
from collections.abc import Sequence

from keras import ops

from keras_bert.custom_gradient import custom_gradient
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.attention import ignored_keys
from keras_bert.layers.attention.attention import softmax
from keras_bert.layers.attention.attention import transposed
from keras_bert.layers.attention.attention_patterns import Pattern
from keras_bert.typing import Tensor

# Number of queries per chunk (C in shapes), and maximum sequence length without
# chunks.
_NUM_QUERIES = 256
_LONGEST_WHOLE = 512


def is_in_chunks(seq_length: int | Tensor) -> bool:
    """Return whether a sequence is long enough to be computed in chunks.

    Args:
        seq_length: length, or int32 scalar tensor.

    Returns:
        False if the length is unknown.
    """
    return isinstance(seq_length, int) and seq_length > _LONGEST_WHOLE


def attend_in_chunks(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    context: AttentionContext,
    pattern: Pattern | None,
    dropout: Callable[[Tensor], Tensor],
) -> Tensor:
    """Compute attention to all keys, one chunk of queries at a time.

    The gradient recomputes the attention weights instead of storing them, so
    memory grows linearly with the length. Requires a known length, queries at
    all positions and no dropout of weights.

    References:
        [Self-attention Does Not Need O(n^2) Memory](
        https://arxiv.org/abs/2112.05682), section 3
    """
    return _attend(query, key, value, context=vars(context), pattern=pattern)


@custom_gradient
def _attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    context: dict[str, Tensor | None],
    pattern: Pattern | None,
) -> tuple[Tensor, Callable[[Tensor], tuple[Tensor, ...]]]:
    starts = range(0, query.shape[2], _NUM_QUERIES)

    def weights(chunk: Tensor, start: int) -> Tensor:
        scores = ops.matmul(chunk, transposed(key))  # [B, N, C, S]
        positions = ops.arange(start, start + scores.shape[2])[None]
        # The mask of a chunk is [B, 1, C, S] instead of [B, 1, S, S].
        chosen = AttentionContext(**context | {"query_positions": positions})
        ignored = ignored_keys(chosen, pattern, key.shape[2])
        return softmax(scores, ignored, "float32")  # For the gradient.

    chunks = []
    for start in starts:
        chunk = _after(chunks, _chunk(query, start))
        attention = ops.cast(weights(chunk, start), value.dtype)
        chunks.append(ops.matmul(attention, value))
    attended = ops.concatenate(chunks, axis=2)  # [B, N, S, D]

    def gradient(upstream: Tensor) -> tuple[Tensor, ...]:
        # The softmax gradient subtracts sum(attention * slope) over the keys,
        # which equals sum(upstream * attended) over the vectors.
        along = _wide(upstream) * _wide(attended)
        along = ops.sum(along, axis=-1, keepdims=True)  # [B, N, S, 1]
        of_query, of_key, of_value = [], 0.0, 0.0
        for start in starts:
            chunk = _after(of_query, _chunk(query, start))
            outer = _after(of_query, _chunk(upstream, start))
            attention = weights(chunk, start)
            # Gradients of the weights, then of the scores, [B, N, C, S].
            slope = _wide(ops.matmul(outer, transposed(value)))
            slope = attention * (slope - _chunk(along, start))
            slope = ops.cast(slope, query.dtype)
            attention = ops.cast(attention, value.dtype)
            of_query.append(ops.matmul(slope, key))  # [B, N, C, D]
            # All chunks add to keys and values: sum in float32, [B, N, S, D].
            of_key += _wide(ops.matmul(transposed(slope), chunk))
            of_value += _wide(ops.matmul(transposed(attention), outer))
        of_query = ops.concatenate(of_query, axis=2)
        return of_query, *map(
            ops.cast, (of_key, of_value), (key.dtype, value.dtype)
        )

    return attended, gradient


def _chunk(values: Tensor, start: int) -> Tensor:
    return values[:, :, start : start + _NUM_QUERIES]


def _after(done: Sequence[Tensor], chunk: Tensor) -> Tensor:
    """Make a chunk depend on the previous result.

    Otherwise TensorFlow would compute all chunks at once.
    """
    joined = ops.concatenate([*done[-1:], chunk], axis=2)
    return joined[:, :, -chunk.shape[2] :]


def _wide(values: Tensor) -> Tensor:
    return ops.cast(values, "float32")
