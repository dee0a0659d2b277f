"""Byte offsets through the normalisation."""

import tensorflow as tf


def original_spans(pieces, offsets):
    """Moves spans from the normalised text to the text as it was given.

    An end goes to the next character that was not dropped: a span takes in
    the accents that followed, and is never empty.

    Args:
        pieces: `Pieces` with offsets into the normalised texts.
        offsets: RaggedTensor, int64 `(batch_size, (num_bytes + 1))`, where
            each byte of the normalised text, and its end, came from.

    Returns:
        `Pieces` with offsets into the original texts.
    """
    flat = offsets.flat_values
    row = tf.gather(
        offsets.row_splits[:-1], pieces.ragged(pieces.ids).value_rowids()
    )
    # Bytes that came from one place share an origin.
    is_new = tf.concat([[True], tf.not_equal(flat[1:], flat[:-1])], 0)
    is_new = is_new[: tf.size(flat)]
    origin = tf.cumsum(tf.cast(is_new, tf.int32)) - 1
    origins = tf.concat([tf.boolean_mask(flat, is_new), [0]], 0)
    last = tf.gather(origin, pieces.ends - 1 + row)
    return pieces._replace(
        starts=tf.gather(flat, pieces.starts + row),
        ends=tf.gather(origins, last + 1),
    )
