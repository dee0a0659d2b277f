"""A batch of word pieces, and the joining of pieces to one token."""

import typing

import tensorflow as tf


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
