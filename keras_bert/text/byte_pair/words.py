"""Beginnings of the words of byte-level BPE, by GPT-2's pattern.

The pattern, tried from left to right:

    's|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|
    \\s+(?!\\S)|\\s+

So a word is a run of letters, of numbers or of other characters, with the one
space (U+0020) before it. Of white space before a word, the last character is
no part of the rest: it is that space, or a word of its own. The endings of
English contractions are words where their apostrophe begins one.
"""

import tensorflow as tf

from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import shift
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.character_kinds import NONE
from keras_bert.text.normalization.character_kinds import SPACE

_APOSTROPHE = ord("'")
_BLANK = ord(" ")
_ONE_LETTER = "stmd"
_TWO_LETTERS = ("re", "ve", "ll")


def word_starts(flat, kinds, characters):
    """Finds the first bytes of words, and of what is no text.

    Args:
        flat: `FlatTexts`.
        kinds: uint8 `(num_bytes,)`, as `character_kinds` gives them.
        characters: `LongCharacters`.

    Returns:
        int32 `(num_words,)`, ascending: words reach to the next one.
    """
    before = shift(kinds, NONE)
    is_new = tf.not_equal(kinds, before)
    after_space = is_new & tf.equal(before, SPACE) & tf.not_equal(kinds, NONE)
    after_blank = shift(tf.equal(flat.bytes, _BLANK), False) & after_space
    is_last_space = tf.concat([after_space[1:], [False]], 0)
    is_last_space &= flat.bytes < 0x80
    is_start = is_new & tf.logical_not(after_blank) | is_last_space
    is_start = _split_long_spaces(is_start, after_space, characters)
    return where(_split_contractions(is_start, flat))


def _split_long_spaces(is_start, after_space, characters):
    """The last space of a run may be a character of several bytes."""
    ends = characters.starts + characters.lengths
    is_last = tf.equal(characters.kinds, SPACE) & tf.gather(after_space, ends)
    places = tf.boolean_mask(characters.starts, is_last)
    return scatter(is_start, places, tf.ones_like(places, tf.bool))


def _split_contractions(is_start, flat):
    """After "'s" a word begins, and at its "s" none does."""
    places = where(tf.equal(flat.bytes, _APOSTROPHE) & is_start)
    letter, second = (tf.gather(flat.bytes, places + n) for n in (1, 2))
    is_short = tf.zeros_like(places, tf.bool)
    for one in _ONE_LETTER:
        is_short |= tf.equal(letter, ord(one))
    is_long = tf.zeros_like(places, tf.bool)
    for one, other in _TWO_LETTERS:
        is_long |= tf.equal(letter, ord(one)) & tf.equal(second, ord(other))
    ends = places + tf.where(is_short, 2, 3)
    found = is_short | is_long
    places, ends = (tf.boolean_mask(x, found) for x in (places, ends))
    return scatter(
        is_start,
        tf.concat([places + 1, ends], 0),
        tf.concat(
            [tf.zeros_like(places, tf.bool), tf.ones_like(places, tf.bool)], 0
        ),
    )
