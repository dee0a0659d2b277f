"""A batch of word pieces: pieces joined to a token, spans moved."""

import re
import typing

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text


def normalizer_op(table):
    """Make the op that normalises texts by a table, bytes."""
    buffer = tf.constant(np.frombuffer(table, np.uint8))
    return tf_text.FastBertNormalizer(model_buffer=buffer)


class Pieces(typing.NamedTuple):
    """Word pieces of a batch, flat, with the rows they belong to.

    Args:
        ids: int32 `(num_pieces,)`.
        starts: int64 `(num_pieces,)`, byte offsets into the text.
        ends: int64 `(num_pieces,)`, byte offsets, exclusive.
        row_splits: int64 `(batch_size + 1,)`, where each text begins.
    """

    ids: tf.Tensor
    starts: tf.Tensor
    ends: tf.Tensor
    row_splits: tf.Tensor

    def ragged(self, values):
        """One of the flat tensors, in rows."""
        return tf.RaggedTensor.from_row_splits(
            values, self.row_splits, validate=False
        )


def join(pieces, ids, heads):
    """Drops pieces; the span of each goes to the piece before it.

    Args:
        pieces: `Pieces`.
        ids: int32 `(num_pieces,)`, the new ids.
        heads: bool `(num_pieces,)`, the pieces that stay. The first piece of
            each row must be one.

    Returns:
        `Pieces`.
    """
    kept = tf.cumsum(tf.cast(heads, pieces.row_splits.dtype))
    # A token ends where the piece before the next token ends.
    lasts = tf.concat([heads[1:], tf.fill([tf.size(heads[:1])], True)], 0)
    return Pieces(
        tf.boolean_mask(ids, heads),
        tf.boolean_mask(pieces.starts, heads),
        tf.boolean_mask(pieces.ends, lasts),
        tf.gather(tf.concat([[0], kept], 0), pieces.row_splits),
    )


def fill_empty_spans(starts, ends, rows):
    """Give each empty span that of the next piece, or of the previous one.

    Args:
        starts, ends: int64 `(num_pieces,)`.
        rows: int64 `(num_pieces,)`, the text of each piece.

    Returns:
        Starts and ends, int64 `(num_pieces,)`; empty only in texts without
        any other span.
    """
    is_filled, size = ends > starts, tf.size(starts, tf.int64)
    filled = tf.concat([[size], tf.where(is_filled)[:, 0], [size]], 0)
    number = tf.cumsum(tf.cast(is_filled, tf.int32), exclusive=True)
    place = tf.range(size)
    for distance in (0, 1):  # The next one replaces the previous one.
        near = tf.gather(filled, number + distance)
        of_near = tf.gather(tf.concat([rows, [-1]], 0), near)
        place = tf.where(tf.equal(of_near, rows), near, place)
    return tf.gather(starts, place), tf.gather(ends, place)


def mark_in_place(texts, tokens, marks, no_mark):
    """Writes marks for the special tokens in texts; no byte moves.

    Args:
        texts: string tensor `(batch_size,)`, UTF-8.
        tokens: sequence of str.
        marks: str, a character for each, none of more bytes than its token;
            spaces fill it up, because a word begins behind it.
        no_mark: str, what stands for such a character in a text.

    Returns:
        A string tensor like `texts`.
    """
    texts = tf.strings.regex_replace(texts, f"[{marks}]", no_mark)
    for token, mark in zip(tokens, marks, strict=True):
        marked = mark + " " * (len(token.encode()) - len(mark.encode()))
        texts = tf.strings.regex_replace(texts, re.escape(token), marked)
    return texts


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
