"""Token ids to the dense inputs of a model.

Dense ops alone (where, gather, comparisons): ragged slicing and concatenation
have no kernels in TFLite.
"""

import tensorflow as tf


def truncated_lengths(first, second, budget):
    """Lengths of a pair cut to a budget, always at the end of the longer.

    It gives in one step what google-research/bert does token by token: the
    longer of the two loses its last token, the second where both are equal.

    Args:
        first: int32 `(batch_size,)`, lengths of the first texts.
        second: int32 `(batch_size,)`, lengths of the second texts.
        budget: int, most tokens that both may have together.

    Returns:
        Two int32 `(batch_size,)` tensors.
    """
    kept_first = tf.minimum(
        first, tf.maximum(budget - second, (budget + 1) // 2)
    )
    return kept_first, tf.minimum(second, budget - kept_first)


def pack(first, second, seq_length, cls_id, sep_id):
    """[CLS] first [SEP] second [SEP], padded with 0.

    Args:
        first: pair of ids, int32 `(batch_size, width)`, dense, and their
            lengths, int32 `(batch_size,)`.
        second: the same for the second texts, or None for single texts.
        seq_length: int, width of the result.
        cls_id: int, id of [CLS].
        sep_id: int, id of [SEP].

    Returns:
        Three int32 `(batch_size, seq_length)` tensors: ids, mask (1 at
        tokens) and segments (1 in the second text and its [SEP]).
    """
    (first_ids, first_length), num_special = first, 2
    if second is None:
        first_length = tf.minimum(first_length, seq_length - num_special)
        end = first_length + num_special
    else:
        (second_ids, second_length), num_special = second, 3
        first_length, second_length = truncated_lengths(
            first_length, second_length, seq_length - num_special
        )
        end = first_length + second_length + num_special
    position = tf.range(seq_length)[tf.newaxis]  # [1, S]
    first_length = first_length[:, tf.newaxis]  # [B, 1]
    end = end[:, tf.newaxis]
    mask = position < end
    segments = tf.logical_and(position > first_length + 1, mask)
    ids = _take(first_ids, position - 1 + 0 * first_length)
    if second is not None:
        ids = tf.where(
            segments, _take(second_ids, position - first_length - 2), ids
        )
    separators = tf.logical_or(
        tf.equal(position, first_length + 1), tf.equal(position, end - 1)
    )
    ids = tf.where(separators, sep_id, ids)
    ids = tf.where(tf.equal(position, 0), cls_id, ids)
    ids = tf.where(mask, ids, 0)
    return ids, tf.cast(mask, tf.int32), tf.cast(segments, tf.int32)


def _take(ids, positions):
    """Ids at positions; those out of range give any id."""
    ids = tf.pad(ids, [[0, 0], [0, 1]])  # There may be none.
    positions = tf.clip_by_value(positions, 0, tf.shape(ids)[1] - 1)
    return tf.gather(ids, positions, batch_dims=1)
