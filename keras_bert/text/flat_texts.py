"""A batch of texts as one row of bytes, for ops that look at neighbours."""

import typing

import tensorflow as tf

NO_TOKEN = -1
# What is read at once from any place stays within the bytes.
_PADDING = 32
# They are also read as integers of 8 bytes.
_BLOCK = 8
_BLANK = ord(" ")


class FlatTexts(typing.NamedTuple):
    """The bytes of all texts, with a separator before, between and behind.

    Args:
        bytes: uint8 `(num_bytes,)`, with padding at the end; `num_bytes` is a
            multiple of 8.
        is_text: bool `(num_bytes,)`, False at separators, at padding and in
            special tokens.
        tokens: int32 `(num_bytes,)`, the ids of special tokens where they
            begin, else `NO_TOKEN`.
        separators: int32 `(batch_size + 1,)`, where the separators stand.
        origins: int32 `(num_bytes,)`, for each byte where it stood before
            any other was put in.
        ends: int32 `(num_bytes,)` or None; for the last byte of a character
            where that ended before it was normalised.
    """

    bytes: tf.Tensor
    is_text: tf.Tensor
    tokens: tf.Tensor
    separators: tf.Tensor
    origins: tf.Tensor
    ends: tf.Tensor | None = None


def flatten(texts):
    """Makes `FlatTexts` of a string tensor `(batch_size,)`."""
    joined = tf.strings.reduce_join(texts, 0, separator="\0")
    joined = tf.strings.join(["\0", joined, "\0" * _PADDING])
    lengths = tf.strings.length(texts)
    separators = tf.concat([[0], tf.cumsum(lengths + 1)], 0)
    codes = tf.io.decode_raw(joined, tf.uint8)
    size = tf.size(codes) // _BLOCK * _BLOCK
    origins = tf.range(size)
    is_text = origins < separators[-1]
    return FlatTexts(
        codes[:size],
        scatter(is_text, separators, tf.zeros_like(separators, tf.bool)),
        tf.fill([size], NO_TOKEN),
        separators,
        origins,
    )


def with_prefix_space(flat):
    """Puts a space before each stretch of text that begins with none."""
    begins = flat.is_text & ~shift(flat.is_text, False)
    begins &= tf.not_equal(flat.bytes, _BLANK)
    moved = tf.range(tf.size(begins)) + tf.cumsum(tf.cast(begins, tf.int32))
    firsts = where(begins)
    blanks = tf.gather(moved, firsts) - 1
    size = tf.size(moved) + tf.size(blanks) + _BLOCK - 1
    size = size // _BLOCK * _BLOCK

    def spread(values, default, of_blanks):
        spread = scatter(tf.fill([size], default), moved, values)
        return scatter(spread, blanks, of_blanks)

    return FlatTexts(
        spread(
            flat.bytes,
            tf.constant(0, tf.uint8),
            tf.fill(tf.shape(blanks), tf.constant(_BLANK, tf.uint8)),
        ),
        spread(flat.is_text, False, tf.ones_like(blanks, tf.bool)),
        spread(flat.tokens, NO_TOKEN, tf.fill(tf.shape(blanks), NO_TOKEN)),
        tf.gather(moved, flat.separators),
        spread(flat.origins, 0, tf.gather(flat.origins, firsts)),
        None
        if flat.ends is None
        else spread(flat.ends, 0, tf.gather(flat.origins, firsts)),
    )


def shift(values, fill):
    """Moves values by one place to the right; `fill` comes first."""
    return tf.concat([tf.constant([fill], values.dtype), values[:-1]], 0)


def where(flags):
    """The places of what is True, int32."""
    return tf.cast(tf.where(flags)[:, 0], tf.int32)


def scatter(values, places, updates):
    """Replaces values at places."""
    return tf.tensor_scatter_nd_update(values, places[:, tf.newaxis], updates)
