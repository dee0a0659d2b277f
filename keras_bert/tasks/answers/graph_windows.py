"""The windows of many contexts at once, in graph.

They are those of `WindowSizes`, by flat ops alone, for TFLite.
"""

import typing

import tensorflow as tf


class GraphWindows(typing.NamedTuple):
    """Windows over the tokens of contexts, all int32 `(num_windows,)`.

    Args:
        rows: which context each is of, in order.
        starts: the first token of each in its context.
        lengths: how many tokens each has.
    """

    rows: tf.Tensor
    starts: tf.Tensor
    lengths: tf.Tensor


def graph_windows(sizes, question_lengths, context_lengths):
    """Cuts contexts as `WindowSizes.windows` does.

    Args:
        sizes: `WindowSizes`.
        question_lengths: int32 `(batch_size,)`, tokens that are kept.
        context_lengths: int32 `(batch_size,)`.

    Returns:
        `GraphWindows`, at least one for each context.
    """
    room = sizes.seq_length - sizes.num_special - question_lengths
    step = tf.minimum(room, sizes.doc_stride)
    num_more = tf.maximum((context_lengths - room + step - 1) // step, 0)
    rows, numbers = _numbered(num_more + 1)
    starts = numbers * tf.gather(step, rows)
    left = tf.gather(context_lengths, rows) - starts
    return GraphWindows(rows, starts, tf.minimum(tf.gather(room, rows), left))


def in_windows(tokens, windows):
    """What is in each window.

    Args:
        tokens: RaggedTensor `(batch_size, (num_tokens))`.
        windows: `GraphWindows`.

    Returns:
        A RaggedTensor `(num_windows, (length))`.
    """
    _, _, places = _places(tokens, windows)
    return tf.RaggedTensor.from_row_lengths(
        tf.gather(tokens.flat_values, places), windows.lengths, validate=False
    )


def owned_in_windows(tokens, windows, ranks):
    """Which tokens each window answers for, as `AnswerWindows.owners`.

    Args:
        tokens: RaggedTensor `(batch_size, (num_tokens))`, the contexts.
        windows: `GraphWindows`.
        ranks: int32 array, as of `context_ranks` of the longest window.

    Returns:
        A RaggedTensor, int32 `(num_windows, (length))`, of 0 and 1.
    """
    window, place, token = _places(tokens, windows)
    length = tf.gather(windows.lengths, window)
    nearest = tf.minimum(place, length - 1 - place)
    rank = tf.gather(tf.reshape(ranks, [-1]), nearest * ranks.shape[1] + length)
    num_tokens = tf.size(tokens.flat_values)
    most = tf.math.unsorted_segment_max(rank, token, num_tokens)
    num_windows = tf.size(windows.rows)
    # The first of those with most context.
    owners = tf.math.unsorted_segment_min(
        tf.where(tf.equal(rank, tf.gather(most, token)), window, num_windows),
        token,
        num_tokens,
    )
    is_owner = tf.equal(window, tf.gather(owners, token))
    return tf.RaggedTensor.from_row_lengths(
        tf.cast(is_owner, tf.int32), windows.lengths, validate=False
    )


def _places(tokens, windows):
    """Of each token of each window the window, its place in it and in all."""
    window, place = _numbered(windows.lengths)
    firsts = tf.cast(tokens.row_starts(), tf.int32)
    firsts = tf.gather(firsts, windows.rows) + windows.starts
    return window, place, tf.gather(firsts, window) + place


def _numbered(counts):
    """Of all in rows of so many each the row and the place in it, int32."""
    numbers = tf.range(tf.reduce_sum(counts))
    rows = tf.RaggedTensor.from_row_lengths(numbers, counts, validate=False)
    row = tf.cast(rows.value_rowids(), tf.int32)
    starts = tf.cast(rows.row_starts(), tf.int32)
    return row, numbers - tf.gather(starts, row)
