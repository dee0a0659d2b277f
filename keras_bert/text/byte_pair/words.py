"""Words of byte-level BPE: where they begin, and those that are one token.

Words begin by GPT-2's pattern, tried from left to right:

    's|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|
    \\s+(?!\\S)|\\s+

So a word is a run of letters, of numbers or of other characters, with the one
space (U+0020) before it. Of white space before a word, the last character is
no part of the rest: it is that space, or a word of its own. The endings of
English contractions are words where their apostrophe begins one.

Most words are one token, and are found without merging.
"""

import itertools

import numpy as np
import tensorflow as tf

from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import shift
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.character_kinds import NONE
from keras_bert.text.normalization.character_kinds import SPACE
from keras_bert.text.perfect_hash import PerfectHash

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


# A word up to this length is compared as two integers; longer ones, of which
# there are few, are merged.
MAX_BYTES = 16
_HALF = 8
NOT_WHOLE = -1

# The lowest n bytes of an integer, for n from 0 to 8.
_LOWEST = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
_LOWEST = _LOWEST.view(np.int64)
_right_shift, _left_shift = tf.bitwise.right_shift, tf.bitwise.left_shift


class WholeWords:
    """Gives the ids of words that are one token.

    Args:
        words: dict from the bytes of words, at most 16, to their ids.

    Call arguments:
        flat: `FlatTexts`.
        starts: int32 `(num_words,)`, where words begin.
        lengths: int32 `(num_words,)`, their bytes.

    Returns:
        int32 `(num_words,)`, ids, or `NOT_WHOLE`.
    """

    def __init__(self, words):
        padded = b"".join(word.ljust(MAX_BYTES, b"\0") for word in words)
        low, high = np.frombuffer(padded, "<i8").reshape(-1, 2).T
        lengths = np.array([len(word) for word in words], np.int32)
        self._number_of = PerfectHash(low, high, lengths)
        self._ids = tf.constant([*words.values(), NOT_WHOLE], tf.int32)

    def __call__(self, flat, starts, lengths):
        low, high = _words(flat.bytes, starts, lengths)
        numbers = self._number_of(low, high, lengths)
        last = tf.size(self._ids) - 1
        return tf.gather(self._ids, tf.where(numbers < 0, last, numbers))


def _words(codes, starts, lengths):
    """The first 16 bytes of words as two int64, 0 behind their ends."""
    blocks = tf.bitcast(tf.reshape(codes, [-1, _HALF]), tf.int64)
    last = tf.size(blocks) - 1
    block = starts // _HALF
    shift = starts % _HALF
    first, second, third = (
        tf.gather(blocks, tf.minimum(block + n, last)) for n in range(3)
    )
    kept = tf.gather(_LOWEST, _HALF - shift)
    bits = 8 * tf.cast(shift, tf.int64)

    def joined(one, other):
        """The bytes from `shift` on of two blocks beside each other."""
        # In two steps, for a shift by 64 is undefined.
        upper = _left_shift(_left_shift(other, 56 - bits), 8)
        return (_right_shift(one, bits) & kept) | upper

    low_bytes = tf.minimum(lengths, _HALF)
    high_bytes = tf.clip_by_value(lengths - _HALF, 0, _HALF)
    return (
        joined(first, second) & tf.gather(_LOWEST, low_bytes),
        joined(second, third) & tf.gather(_LOWEST, high_bytes),
    )


def whole_words(words, symbols, merge):
    """Make `WholeWords` of the words that are merged to one token.

    Args:
        words: dict from the bytes of words to their ids. Those of more than
            16 bytes are left out.
        symbols: list of the symbols of each word, sequences of int.
        merge: function from symbols and the numbers of their words to tokens.
    """
    lengths = np.array([*map(len, symbols)], np.int64)
    tokens = merge(
        tf.constant(np.fromiter(itertools.chain(*symbols), np.int32)),
        tf.constant(np.repeat(np.arange(len(words)), lengths)),
    ).numpy()
    firsts = tokens[np.cumsum(lengths) - lengths]
    pairs = zip(words.items(), firsts, strict=True)
    return WholeWords(
        {
            word: index
            for (word, index), first in pairs
            if first == index and len(word) <= MAX_BYTES
        }
    )
