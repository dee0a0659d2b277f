"""Attention in a sliding window, computed in blocks of tokens."""

import dataclasses

from keras import ops

from keras_bert.layers.attention.attention import ignored_pairs
from keras_bert.layers.attention.attention import masked_scores
from keras_bert.layers.attention.attention import softmax
from keras_bert.layers.attention.attention import transposed
from keras_bert.layers.positions import split_blocks
from keras_bert.layers.positions import with_neighbours


def attend_in_blocks(query, key, value, context, pattern, dropout):
    """Compute attention to adjacent blocks and global tokens.

    Each query attends to its own block, the two adjacent blocks and the global
    tokens. The block size is the `reach` of the pattern. All positions are
    queries. Memory grows linearly with the length.

    References:
        [Longformer](https://arxiv.org/abs/2004.05150), section 3.1
    """
    # M blocks of b tokens, G global tokens.
    size, length = pattern.reach, ops.shape(key)[2]
    chosen, queries = context.global_tokens, split_blocks(query, size)
    near_key, near_value = (
        with_neighbours(split_blocks(x, size)) for x in (key, value)
    )  # [B, N, M, 3 * b, D]
    scores = ops.matmul(queries, transposed(near_key))  # [B, N, M, b, 3 * b]
    scores = masked_scores(scores, _ignored(context, pattern, length))
    num_globals = 0
    if chosen is not None:
        num_globals = chosen.shape[1]
        # One-hot rows select the global keys, [B, 1, G, S].
        chosen = ops.expand_dims(ops.cast(chosen, key.dtype), 1)
        global_key, global_value = (
            ops.expand_dims(ops.matmul(chosen, x), 2) for x in (key, value)
        )  # [B, N, 1, G, D]
        # Texts have different numbers of global tokens: ignore empty rows.
        missing = 1.0 - ops.cast(ops.sum(chosen, axis=-1), "float32")
        global_scores = ops.matmul(queries, transposed(global_key))
        missing = ops.expand_dims(ops.expand_dims(missing, 2), 2)
        global_scores = masked_scores(global_scores, missing)
        # One softmax over both, [B, N, M, b, G + 3 * b].
        scores = ops.concatenate([global_scores, scores], axis=-1)
    weights = dropout(softmax(scores, None, value.dtype))
    attended = ops.matmul(weights[..., num_globals:], near_value)
    if chosen is not None:
        attended += ops.matmul(weights[..., :num_globals], global_value)
    rows = ops.shape(attended)[2] * size
    shape = -1, query.shape[1], rows, query.shape[-1]
    # Cut the padding of the last block, [B, N, S, D].
    return ops.reshape(attended, shape)[:, :, :length]


def _ignored(context, pattern, length):
    """Return a mask that is 1 at padding, distant and global tokens."""

    def queries(known):
        # [B, M, b, 1]
        return split_blocks(ops.expand_dims(known, -1), pattern.reach)

    def keys(known):
        return transposed(with_neighbours(queries(known)))  # [B, M, 1, 3 * b]

    indices = ops.expand_dims(ops.arange(length), 0)
    mask = context.attention_mask
    # The padding of the last block must be masked.
    mask = ops.ones_like(indices) if mask is None else ops.cast(mask, "int32")
    if context.global_tokens is not None:
        # Global tokens are separate keys. Do not use `*=`: PyTorch would change
        # the caller's mask.
        is_global = ops.sum(context.global_tokens, axis=1)
        mask = mask * (1 - ops.cast(is_global, "int32"))
    context = dataclasses.replace(
        context, attention_mask=mask, global_tokens=None
    )
    return ignored_pairs(context, pattern, indices, queries, keys)
