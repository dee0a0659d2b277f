"""Classification of characters as space, letter, number or other in a graph."""

import functools
import typing

import numpy as np
import tensorflow as tf

from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.code_points import NONE
from keras_bert.text.normalization.code_points import NUM_CODE_POINTS
from keras_bert.text.normalization.code_points import OTHER
from keras_bert.text.normalization.code_points import code_point_kinds

_PAGE = 256


class LongCharacters(typing.NamedTuple):
    """Well-formed characters of more than one byte.

    Args:
        starts: int32 `(num_characters,)`, positions of the first bytes.
        lengths: int32 `(num_characters,)`, in bytes.
        kinds: uint8 `(num_characters,)`.
    """

    starts: tf.Tensor
    lengths: tf.Tensor
    kinds: tf.Tensor


@functools.cache
def _kind_of():
    return in_pages(code_point_kinds())


def in_pages(values):
    """Create a compact lookup table over code points.

    Equal pages of the table are stored once.

    Args:
        values: array `(1114112,)`, a value for each code point.

    Returns:
        A function that maps code points, int32 `(any,)`, to their values. Code
        points above 0x10FFFF are mapped to the value of U+0000.
    """
    firsts, pages = [], {}
    for page in values.reshape(-1, _PAGE):
        firsts.append(pages.setdefault(page.tobytes(), _PAGE * len(pages)))
    firsts = np.array(firsts, np.int32)
    pages = np.frombuffer(b"".join(pages), values.dtype)

    def value_of(points):
        points = tf.where(points < NUM_CODE_POINTS, points, 0)
        page = tf.gather(firsts, points // _PAGE)
        return tf.gather(pages, page + points % _PAGE)

    return value_of


def character_kinds(flat):
    """Return the character kind of each byte.

    A byte that is not part of a well-formed character counts as a character.

    Args:
        flat: `FlatTexts`.

    Returns:
        uint8 `(num_bytes,)`, and `LongCharacters`.
    """
    codes = tf.cast(flat.bytes, tf.int32)
    of_bytes = np.full(256, OTHER, np.uint8)
    of_bytes[:128] = code_point_kinds()[:128]
    kinds = tf.gather(of_bytes, codes)
    starts, lengths, points = long_characters(flat.bytes)
    characters = LongCharacters(starts, lengths, _kind_of()(points))
    positions = tf.ragged.range(starts, starts + lengths)
    of_long = tf.gather(characters.kinds, positions.value_rowids())
    kinds = scatter(kinds, positions.flat_values, of_long)
    kinds = tf.where(flat.is_text, kinds, tf.constant(NONE, tf.uint8))
    return kinds, characters


def long_characters(codes, least=0xC2):
    """Decode the UTF-8 characters of more than one byte.

    Ill-formed sequences (table 3-7 of the Unicode standard) are skipped.

    Args:
        codes: uint8 `(num_bytes,)`.
        least: int, minimum value of the first byte of the characters to decode.

    Returns:
        The positions of the characters, their lengths in bytes and their code
        points, all int32 `(num_characters,)`.
    """
    starts = where(codes >= least)
    first, *rest = (
        tf.cast(tf.gather(codes, starts + n), tf.int32) - 0x80 for n in range(4)
    )
    first += 0x80
    follows = [(0 <= byte) & (byte < 0x40) for byte in rest]
    second, third, fourth = rest
    of_two = (first - 0xC0) * 0x40 + second
    of_three = ((first - 0xE0) * 0x40 + second) * 0x40 + third
    of_four = ((first - 0xF0) * 0x40 + second) * 0x40 + third
    of_four = of_four * 0x40 + fourth
    is_surrogate = (of_three >= 0xD800) & (of_three < 0xE000)
    is_two = (first < 0xE0) & follows[0]
    is_three = (first >= 0xE0) & (first < 0xF0) & follows[0] & follows[1]
    is_three &= (of_three >= 0x800) & tf.logical_not(is_surrogate)
    is_four = (first >= 0xF0) & follows[0] & follows[1] & follows[2]
    is_four &= (of_four >= 0x10000) & (of_four < NUM_CODE_POINTS)
    points = tf.where(is_two, of_two, tf.where(is_three, of_three, of_four))
    lengths = tf.where(is_two, 2, tf.where(is_three, 3, 4))
    is_whole = is_two | is_three | is_four
    return tuple(
        tf.boolean_mask(x, is_whole) for x in (starts, lengths, points)
    )
