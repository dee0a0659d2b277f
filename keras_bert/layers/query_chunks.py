"""Attention in long rows, some queries at a time."""

import dataclasses

from keras import ops

from keras_bert.layers.attention import ignored_keys
from keras_bert.layers.attention import softmax

# So many queries at a time, in rows of more tokens than that.
_NUM_QUERIES = 256
_LONGEST_WHOLE = 512


def is_in_chunks(seq_length):
    """Decide on chunks; False for a length that is known at run time only.

    Args:
        seq_length: int, or int32 scalar tensor.
    """
    return isinstance(seq_length, int) and seq_length > _LONGEST_WHOLE


def attend_in_chunks(query, key, value, context, pattern, dropout):
    """Attend to all keys, from one chunk of the queries after another.

    The weights are computed again for the gradient instead of being kept, so
    that memory grows linearly with the length. The length is known, all
    positions are queries, and no weights are dropped.

    References:
        [Self-attention Does Not Need O(n^2) Memory](
        https://arxiv.org/abs/2112.05682), section 3
    """
    starts = range(0, query.shape[2], _NUM_QUERIES)

    @ops.custom_gradient
    def attend(query, key, value):
        def weights(chunk, start):
            scores = ops.matmul(chunk, _turned(key))
            positions = ops.arange(start, start + scores.shape[2])[None]
            chosen = dataclasses.replace(context, query_positions=positions)
            ignored = ignored_keys(chosen, pattern, key.shape[2])
            return softmax(scores, ignored, "float32")

        chunks = []
        for start in starts:
            chunk = _after(chunks, _chunk(query, start))
            taken = ops.cast(weights(chunk, start), value.dtype)
            chunks.append(ops.matmul(taken, value))
        attended = ops.concatenate(chunks, axis=2)

        def gradient(*args, upstream=None):
            # PyTorch passes its inputs as well, and this by name.
            upstream = args[0] if upstream is None else upstream
            along = _wide(upstream) * _wide(attended)
            along = ops.sum(along, axis=-1, keepdims=True)
            of_query, of_key, of_value = [], 0.0, 0.0
            for start in starts:
                asked = _after(of_query, _chunk(query, start))
                given = _after(of_query, _chunk(upstream, start))
                taken = weights(asked, start)
                slope = _wide(ops.matmul(given, _turned(value)))
                slope = taken * (slope - _chunk(along, start))
                slope = ops.cast(slope, query.dtype)
                taken = ops.cast(taken, value.dtype)
                of_query.append(ops.matmul(slope, key))
                of_key += _wide(ops.matmul(_turned(slope), asked))
                of_value += _wide(ops.matmul(_turned(taken), given))
            of_query = ops.concatenate(of_query, axis=2)
            return of_query, *map(
                ops.cast, (of_key, of_value), (key.dtype, value.dtype)
            )

        return attended, gradient

    return attend(query, key, value)


def _chunk(values, start):
    return values[:, :, start : start + _NUM_QUERIES]


def _after(done, chunk):
    """Make a chunk depend on the previous result.

    TensorFlow would compute all weights at once if none waited for others.
    """
    joined = ops.concatenate([*done[-1:], chunk], axis=2)
    return joined[:, :, -chunk.shape[2] :]


def _turned(values):
    return ops.swapaxes(values, -1, -2)


def _wide(values):
    return ops.cast(values, "float32")
