"""Batch of texts as a flat tensor of bytes, with editing functions."""

import typing

import tensorflow as tf

NO_TOKEN = -1
# Padding that keeps multi-byte reads in range at any position.
_PADDING = 32
# The bytes are also read as 64-bit integers.
_BLOCK = 8
_BLANK = ord(" ")


class FlatTexts(typing.NamedTuple):
    """Batch of texts as a flat tensor of bytes with separators.

    Args:
        bytes: uint8 `(num_bytes,)`, with padding at the end; `num_bytes` is a
            multiple of 8.
        is_text: bool `(num_bytes,)`, False at separators, at padding and in
            special tokens.
        tokens: int32 `(num_bytes,)`, the id of a special token at its first
            byte, `NO_TOKEN` elsewhere.
        separators: int32 `(batch_size + 1,)`, positions of the separators.
        origins: int32 `(num_bytes,)`, position of each byte in the original
            batch, before any insertion.
        ends: int32 `(num_bytes,)` or None; for the last byte of a character,
            the position in the original batch where the character ends.
    """

    bytes: tf.Tensor
    is_text: tf.Tensor
    tokens: tf.Tensor
    separators: tf.Tensor
    origins: tf.Tensor
    ends: tf.Tensor | None = None


def flatten(texts: tf.Tensor) -> FlatTexts:
    """Convert a string tensor `(batch_size,)` to `FlatTexts`."""
    joined = tf.strings.reduce_join(texts, 0, separator="\0")
    joined = tf.strings.join(["\0", joined, "\0" * _PADDING])
    lengths = tf.strings.length(texts)
    separators = tf.concat([[0], tf.cumsum(lengths + 1)], 0)  # [B + 1]
    codes = tf.io.decode_raw(joined, tf.uint8)
    size = tf.size(codes) // _BLOCK * _BLOCK  # Cuts padding only.
    origins = tf.range(size)
    is_text = origins < separators[-1]
    return FlatTexts(
        codes[:size],
        scatter(is_text, separators, tf.zeros_like(separators, tf.bool)),
        tf.fill([size], NO_TOKEN),
        separators,
        origins,
    )


def with_prefix_space(flat: FlatTexts) -> FlatTexts:
    """Insert a space before each segment of text that begins without one."""
    begins = flat.is_text & ~shift(flat.is_text, False)
    firsts = where(begins & tf.not_equal(flat.bytes, _BLANK))  # [num_new]
    blanks = tf.fill(tf.shape(firsts), tf.constant(_BLANK, tf.uint8))
    stays = tf.fill(tf.shape(begins), True)
    return splice(flat, stays, firsts, blanks, tf.gather(flat.origins, firsts))


def splice(
    flat: FlatTexts,
    stays: tf.Tensor,
    positions: tf.Tensor,
    codes: tf.Tensor,
    ends: tf.Tensor,
) -> FlatTexts:
    """Insert and delete bytes at given positions.

    Args:
        flat: the texts.
        stays: bool `(num_bytes,)`, False for bytes to delete. If a deleted byte
            is a separator or has a token, its position must be in `positions`.
        positions: int32 `(num_new,)`, ascending; each new byte is inserted
            before this position.
        codes: uint8 `(num_new,)`, the new bytes.
        ends: int32 `(num_new,)`, the `ends` of the new bytes, if `flat` has
            `ends`.
    """
    kept = where(stays)  # [num_kept]
    # The new position is the number of kept and inserted bytes before it.
    num_kept = tf.cumsum(tf.cast(stays, tf.int32), exclusive=True)
    # Number of new bytes at each position, [num_bytes].
    num_new = tf.math.unsorted_segment_sum(
        tf.fill(tf.shape(positions), 1), positions, tf.size(stays)
    )
    # A deleted byte moves to the first new byte at its position.
    moved = num_kept + tf.cumsum(num_new) - tf.where(stays, 0, num_new)
    new = tf.range(tf.size(positions)) + tf.gather(num_kept, positions)
    size = tf.size(kept) + tf.size(positions) + _BLOCK - 1
    size = size // _BLOCK * _BLOCK

    def spread(
        values: tf.Tensor, default: int | bool, of_new: tf.Tensor
    ) -> tf.Tensor:
        spread = tf.fill([size], tf.constant(default, values.dtype))
        values = tf.gather(values, kept)
        spread = scatter(spread, tf.gather(moved, kept), values)
        return scatter(spread, new, of_new)

    special = where(tf.not_equal(flat.tokens, NO_TOKEN))
    return FlatTexts(
        spread(flat.bytes, 0, codes),
        spread(flat.is_text, False, tf.gather(flat.is_text, positions)),
        scatter(
            tf.fill([size], NO_TOKEN),
            tf.gather(moved, special),
            tf.gather(flat.tokens, special),
        ),
        tf.gather(moved, flat.separators),
        spread(flat.origins, 0, tf.gather(flat.origins, positions)),
        None if flat.ends is None else spread(flat.ends, 0, ends),
    )


def in_rows(flat: FlatTexts) -> tuple[tf.Tensor, tf.RaggedTensor]:
    """Return positions of tokens, int32 `(num_tokens,)`, and ids by text."""
    positions = where(tf.not_equal(flat.tokens, NO_TOKEN))
    splits = tf.searchsorted(positions, flat.separators)
    return positions, tf.RaggedTensor.from_row_splits(
        tf.gather(flat.tokens, positions),
        tf.cast(splits, tf.int64),
        validate=False,
    )


def shift(values: tf.Tensor, fill: int | bool) -> tf.Tensor:
    """Shift values to the right by one and insert `fill` at the beginning."""
    return tf.concat([tf.constant([fill], values.dtype), values[:-1]], 0)


def where(flags: tf.Tensor) -> tf.Tensor:
    """Return the int32 positions of True values."""
    return tf.cast(tf.where(flags)[:, 0], tf.int32)


def scatter(
    values: tf.Tensor, positions: tf.Tensor, updates: tf.Tensor
) -> tf.Tensor:
    """Replace the values at some positions."""
    return tf.tensor_scatter_nd_update(
        values, positions[:, tf.newaxis], updates
    )
