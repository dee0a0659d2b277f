"""Attention in long rows, some queries at a time."""

from keras import ops

# So many queries at a time, in rows of more tokens than that.
_NUM_QUERIES = 256
_LONGEST_WHOLE = 512


def is_in_chunks(seq_length):
    """Decides on chunks; False for a length known at run time only.

    Args:
        seq_length: int, or int32 scalar tensor.
    """
    return isinstance(seq_length, int) and seq_length > _LONGEST_WHOLE


def attend_in_chunks(query, key, value, softmax):
    """Takes the values that all queries attend to, chunk by chunk of these.

    The weights are made again for the gradient instead of being kept, so that
    memory grows as the rows do.

    Args:
        query, key, value: float `(batch_size, num_heads, seq_length,
            head_size)`; the length is known.
        softmax: function of float scores `(batch_size, num_heads,
            num_queries, seq_length)` and of the place of the first query to
            float32 weights of this shape.

    Returns:
        float `(batch_size, num_heads, seq_length, head_size)`.

    References:
        [Self-attention Does Not Need O(n^2) Memory](
        https://arxiv.org/abs/2112.05682), section 3
    """
    starts = range(0, query.shape[2], _NUM_QUERIES)

    @ops.custom_gradient
    def attend(query, key, value):
        def weights(chunk, start):
            return softmax(ops.matmul(chunk, _turned(key)), start)

        contexts = []
        for start in starts:
            chunk = _after(contexts, _chunk(query, start))
            taken = ops.cast(weights(chunk, start), value.dtype)
            contexts.append(ops.matmul(taken, value))
        context = ops.concatenate(contexts, axis=2)

        def gradient(*args, upstream=None):
            # PyTorch passes its inputs as well, and this by name.
            upstream = args[0] if upstream is None else upstream
            along = _wide(upstream) * _wide(context)
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

        return context, gradient

    return attend(query, key, value)


def _chunk(values, start):
    return values[:, :, start : start + _NUM_QUERIES]


def _after(done, chunk):
    """The same chunk, computed after the last of what is done."""
    # TensorFlow would make all weights at once where none waits for others.
    joined = ops.concatenate([*done[-1:], chunk], axis=2)
    return joined[:, :, -chunk.shape[2] :]


def _turned(values):
    return ops.swapaxes(values, -1, -2)


def _wide(values):
    return ops.cast(values, "float32")
