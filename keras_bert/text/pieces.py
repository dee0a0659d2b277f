"""Tokens with their spans for a batch of texts, and functions to edit them."""

import typing

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text


def normalizer_op(table: bytes) -> tf_text.FastBertNormalizer:
    """Create the op that normalizes texts with a table."""
    buffer = tf.constant(np.frombuffer(table, np.uint8))
    return tf_text.FastBertNormalizer(model_buffer=buffer)


class Pieces(typing.NamedTuple):
    """Flat tokens of a batch of texts with row splits.

    Args:
        ids: int32 `(num_pieces,)`.
        starts: int64 `(num_pieces,)`, byte offsets into the text.
        ends: int64 `(num_pieces,)`, byte offsets, exclusive.
        row_splits: int64 `(batch_size + 1,)`, index of the first token of each
            text, and the number of tokens.
    """

    ids: tf.Tensor
    starts: tf.Tensor
    ends: tf.Tensor
    row_splits: tf.Tensor

    def ragged(self, values: tf.Tensor) -> tf.RaggedTensor:
        """Convert one of the flat tensors to a RaggedTensor."""
        return tf.RaggedTensor.from_row_splits(
            values, self.row_splits, validate=False
        )


def join(pieces: Pieces, ids: tf.Tensor, heads: tf.Tensor) -> Pieces:
    """Merge some pieces into the previous piece and extend its span.

    Args:
        pieces: the pieces of texts.
        ids: int32 `(num_pieces,)`, the new ids.
        heads: bool `(num_pieces,)`, True for pieces to keep, False for pieces
            to merge. The first piece of each row must be kept.
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


def fill_empty_spans(
    starts: tf.Tensor, ends: tf.Tensor, rows: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Replace empty spans with the span of the next or previous piece.

    Args:
        starts, ends: int64 `(num_pieces,)`.
        rows: int64 `(num_pieces,)`, the index of each piece's text.

    Returns:
        Starts and ends, int64 `(num_pieces,)`. Spans stay empty only if all
        spans of the text are empty.
    """
    is_filled, size = ends > starts, tf.size(starts, tf.int64)
    filled = tf.concat([[size], tf.where(is_filled)[:, 0], [size]], 0)
    number = tf.cumsum(tf.cast(is_filled, tf.int32), exclusive=True)
    source = tf.range(size)
    for distance in (0, 1):  # The next piece has priority.
        near = tf.gather(filled, number + distance)
        of_near = tf.gather(tf.concat([rows, [-1]], 0), near)
        source = tf.where(tf.equal(of_near, rows), near, source)
    return tf.gather(starts, source), tf.gather(ends, source)


def original_spans(pieces: Pieces, offsets: tf.RaggedTensor) -> Pieces:
    """Map spans of the normalized texts to spans of the original texts.

    A span ends where the next character that was not dropped begins. It
    therefore covers dropped accents, and is never empty.

    Args:
        pieces: pieces with offsets into the normalized texts.
        offsets: int64 `(batch_size, (num_bytes + 1))`, the original position
            of each byte of a normalized text, and the original position of its
            end.

    Returns:
        The pieces with offsets into the original texts.
    """
    flat = offsets.flat_values
    row = tf.gather(
        offsets.row_splits[:-1], pieces.ragged(pieces.ids).value_rowids()
    )
    # Bytes with the same original position share an origin.
    is_new = tf.concat([[True], tf.not_equal(flat[1:], flat[:-1])], 0)
    is_new = is_new[: tf.size(flat)]
    origin = tf.cumsum(tf.cast(is_new, tf.int32)) - 1
    origins = tf.concat([tf.boolean_mask(flat, is_new), [0]], 0)
    last = tf.gather(origin, pieces.ends - 1 + row)
    return pieces._replace(
        starts=tf.gather(flat, pieces.starts + row),
        ends=tf.gather(origins, last + 1),
    )
