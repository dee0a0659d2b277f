"""Block-sparse attention: window, global and random blocks of keys."""

import dataclasses

from keras import ops

from keras_bert.layers.attention.attention import attend_to_all
from keras_bert.layers.attention.attention import masked_scores
from keras_bert.layers.attention.attention import transposed
from keras_bert.layers.positions import split_blocks
from keras_bert.layers.positions import with_neighbours


def attend_to_some_blocks(query, key, value, context, random_blocks, size):
    """Compute attention to adjacent, global and random blocks.

    The queries in the first and last blocks attend to all keys. If a block is
    selected several times, for example as a random block and as an adjacent
    block, its keys count several times in the softmax.

    Args:
        query, key, value: float `(batch_size, num_heads, seq_length,
            head_size)`, queries scaled.
        context: `AttentionContext`. Only its `attention_mask` is used.
        random_blocks: int32 `(num_heads, num_blocks - 2, num_random_blocks)`,
            random blocks for each block of queries except the first and last.
        size: block size in tokens.

    Returns:
        float `(batch_size, num_heads, seq_length, head_size)`.
    """
    length, mask = ops.shape(key)[2], context.attention_mask
    mask = ops.ones_like(key[:, 0, :, 0]) if mask is None else mask
    mask = ops.cast(mask, "float32")
    context = dataclasses.replace(context, attention_mask=mask)
    queries, keys, values = (split_blocks(x, size) for x in (query, key, value))
    masks = split_blocks(ops.expand_dims(mask, -1), size)  # [B, M, b, 1]
    ends = attend_to_all(_ends(queries), key, value, context, None, lambda x: x)
    queries = queries[:, :, 1:-1]  # [B, N, M - 2, b, D]
    scores = (
        _of_ends(queries, transposed(_ends(keys))),
        ops.matmul(queries, transposed(_window(keys))),
        ops.matmul(queries, transposed(_random(keys, random_blocks))),
    )
    ignored = _ignored(masks, random_blocks, size)
    scores = [
        masked_scores(score, each)
        for score, each in zip(scores, ignored, strict=True)
    ]
    # Concatenating the scores for one softmax would copy them.
    highest = [ops.max(score, axis=-1, keepdims=True) for score in scores]
    highest = ops.maximum(ops.maximum(*highest[:2]), highest[2])
    highest = ops.stop_gradient(highest)
    weights = [ops.exp(score - highest) for score in scores]
    total = sum(ops.sum(weight, axis=-1, keepdims=True) for weight in weights)
    of_ends, of_window, of_random = (ops.cast(x, value.dtype) for x in weights)
    middle = (
        _of_ends(of_ends, _ends(values))
        + ops.matmul(of_window, _window(values))
        + ops.matmul(of_random, _random(values, random_blocks))
    ) / ops.cast(total, value.dtype)
    _, num_heads, num_rows, _, width = ops.shape(middle)
    middle = ops.reshape(middle, (-1, num_heads, num_rows * size, width))
    attended = ends[:, :, :size], middle, ends[:, :, size:]
    return ops.concatenate(attended, axis=2)[:, :, :length]


def block_counts(random_blocks, num_blocks):
    """Count how often each block of queries attends to each block of keys.

    Args:
        random_blocks: int32 `(num_heads, num_blocks - 2, num_random_blocks)`.
        num_blocks: number of blocks in a sequence.

    Returns:
        float32 `(num_heads, num_blocks, num_blocks)`.
    """
    indices = ops.arange(num_blocks)
    row, key = ops.expand_dims(indices, 1), ops.expand_dims(indices, 0)
    near = (ops.abs(row - key) < 2) | (key == 0) | (key == num_blocks - 1)
    drawn = ops.sum(ops.one_hot(random_blocks, num_blocks), axis=2)
    counts = ops.pad(drawn, [(0, 0), (1, 1), (0, 0)]) + ops.cast(
        near, "float32"
    )
    is_end = (row == 0) | (row == num_blocks - 1)
    return ops.where(is_end, 1.0, counts)


def _ends(blocks):
    """Return the vectors of the first and last block, [B, N, 2 * b, D]."""
    return ops.concatenate([blocks[:, :, 0], blocks[:, :, -1]], axis=2)


def _window(blocks):
    """Return the vectors near each middle block, [B, N, M - 2, 3 * b, D]."""
    return with_neighbours(blocks)[..., 1:-1, :, :]


def _random(blocks, random_blocks):
    """Return the vectors of random blocks, [B, N, M - 2, r * b, D]."""
    num_heads, num_rows, number = ops.shape(random_blocks)
    _, _, num_blocks, size, width = ops.shape(blocks)
    heads = ops.expand_dims(ops.arange(num_heads) * num_blocks, (1, 2))
    flat = ops.reshape(blocks, (-1, num_heads * num_blocks, size * width))
    taken = ops.take(flat, random_blocks + heads, axis=1)
    shape = -1, num_heads, num_rows, number * size, width
    return ops.reshape(taken, shape)


def _of_ends(vectors, matrix):
    """Multiply middle blocks [B, N, M - 2, b, K] by [B, N, K, U]."""
    _, num_heads, num_rows, size, width = ops.shape(vectors)
    shape = -1, num_heads, num_rows * size, width
    product = ops.matmul(ops.reshape(vectors, shape), matrix)
    shape = -1, num_heads, num_rows, size, ops.shape(matrix)[-1]
    return ops.reshape(product, shape)


def _ignored(masks, random_blocks, size):
    """Return float32 masks of ignored keys, [B, 1 or N, M - 2, 1, K].

    The K keys are in the first and last blocks, the window and the random
    blocks. A key with 1 is ignored.
    """
    num_heads, num_rows, number = ops.shape(random_blocks)
    rows = ops.expand_dims(ops.arange(num_rows), 1)
    # The window of the second block already contains the first block; the same
    # holds at the end.
    of_first = ops.arange(2 * size) < size
    keeps = ops.where(of_first, rows > 0, rows < num_rows - 1)
    keeps = ops.cast(keeps, "float32")  # [M - 2, 2 * size]
    ends = ops.concatenate([masks[:, :1], masks[:, -1:]], axis=2)[..., 0]
    drawn = ops.take(masks[..., 0], random_blocks, axis=1)
    drawn = ops.reshape(drawn, (-1, num_heads, num_rows, number * size))
    near = (ends * keeps, _window(masks)[..., 0])  # [B, M - 2, K]
    each = (*(ops.expand_dims(x, 1) for x in near), drawn)
    return [ops.expand_dims(1.0 - x, 3) for x in each]
