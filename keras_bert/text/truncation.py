"""What is kept of a text that is too long.

Each way makes a text's tokens dense, with those that are kept in front. Dense
ops only, for TFLite has no others.
"""

import tensorflow as tf


def _head(tokens, kept, width):
    return tokens.to_tensor(shape=[None, width])


def _tail(tokens, kept, width):
    return _from(tokens, tokens.row_lengths() - tf.cast(kept, tf.int64), width)


def _head_tail(tokens, kept, width):
    """The first half of those that are kept, the larger, then the last."""
    half = (kept + 1) // 2
    is_head = tf.range(width)[tf.newaxis] < half[:, tf.newaxis]
    tail = _tail(tokens, kept, width)
    return tf.where(is_head, _head(tokens, kept, width), tail)


def _from(tokens, start, width):
    """The tokens from a place on, int32 `(batch_size, width)`."""
    places = (tokens.row_starts() + start)[:, tf.newaxis]
    places += tf.range(width, dtype=tf.int64)[tf.newaxis]
    values = tf.concat([tokens.flat_values, [0]], 0)  # There may be none.
    last = tf.size(values, tf.int64) - 1
    return tf.gather(values, tf.minimum(places, last))


TRUNCATIONS = {"head": _head, "tail": _tail, "head_tail": _head_tail}
