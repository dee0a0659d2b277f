"""Word splitting for byte-level BPE, and lookup of single-token words.

Words are split by GPT-2's pattern:

    's|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|
    \\s+(?!\\S)|\\s+

A word is a run of letters, of numbers or of other characters, with a single
space (U+0020) before it, if there is one. If the white space before a word ends
with a different character, this character is a separate word. The rest of the
white space is a word, too. The endings of English contractions are separate
words.

Most words are a single token and are looked up without merging.
"""

import itertools

import numpy as np
import tensorflow as tf

from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import shift
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.code_points import NONE
from keras_bert.text.normalization.code_points import SPACE
from keras_bert.text.perfect_hash import PerfectHash

_APOSTROPHE = ord("'")
_BLANK = ord(" ")
_ONE_LETTER = "stmd"
_TWO_LETTERS = ("re", "ve", "ll")


def word_starts(flat, kinds, characters):
    """Return the positions of the first bytes of words and non-text segments.

    Args:
        flat: `FlatTexts`.
        kinds: uint8 `(num_bytes,)`, returned by `character_kinds`.
        characters: `LongCharacters`.

    Returns:
        int32 `(num_words,)`, ascending. A word ends where the next one begins.
    """
    before = shift(kinds, NONE)  # [num_bytes], kind of the byte before.
    is_new = tf.not_equal(kinds, before)
    after_space = is_new & tf.equal(before, SPACE) & tf.not_equal(kinds, NONE)
    # A blank belongs to the word after it.
    after_blank = shift(tf.equal(flat.bytes, _BLANK), False) & after_space
    # The last space of a run begins a word: a blank begins the next word, any
    # other space is a separate word.
    is_last_space = tf.concat([after_space[1:], [False]], 0)
    is_last_space &= flat.bytes < 0x80  # One byte; see `_split_long_spaces`.
    is_start = is_new & tf.logical_not(after_blank) | is_last_space
    is_start = _split_long_spaces(is_start, after_space, characters)
    return where(_split_contractions(is_start, flat))


def _split_long_spaces(is_start, after_space, characters):
    """Split off the last space of a run if this space has several bytes."""
    ends = characters.starts + characters.lengths  # [num_characters]
    is_last = tf.equal(characters.kinds, SPACE) & tf.gather(after_space, ends)
    last_spaces = tf.boolean_mask(characters.starts, is_last)
    return scatter(is_start, last_spaces, tf.ones_like(last_spaces, tf.bool))


def _split_contractions(is_start, flat):
    """Make contractions such as "'s" separate words."""
    # After a blank or punctuation, an apostrophe does not begin a word.
    apostrophes = where(tf.equal(flat.bytes, _APOSTROPHE) & is_start)
    letter, second = (tf.gather(flat.bytes, apostrophes + n) for n in (1, 2))
    is_short = tf.zeros_like(apostrophes, tf.bool)
    for one in _ONE_LETTER:
        is_short |= tf.equal(letter, ord(one))
    is_long = tf.zeros_like(apostrophes, tf.bool)
    for one, other in _TWO_LETTERS:
        is_long |= tf.equal(letter, ord(one)) & tf.equal(second, ord(other))
    ends = apostrophes + tf.where(is_short, 2, 3)  # [num_apostrophes]
    is_contraction = is_short | is_long
    apostrophes, ends = (
        tf.boolean_mask(x, is_contraction) for x in (apostrophes, ends)
    )
    return scatter(
        is_start,
        # The letters continue the word, which ends after them.
        tf.concat([apostrophes + 1, ends], 0),
        tf.concat(
            [
                tf.zeros_like(apostrophes, tf.bool),
                tf.ones_like(apostrophes, tf.bool),
            ],
            0,
        ),
    )


# Words up to this length are looked up as two integers. The few longer words
# are merged step by step.
MAX_BYTES = 16
_HALF = 8
NOT_WHOLE = -1

# Masks for the lowest n bytes of an integer, for n from 0 to 8.
_LOWEST = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
_LOWEST = _LOWEST.view(np.int64)
_right_shift, _left_shift = tf.bitwise.right_shift, tf.bitwise.left_shift


class WholeWords:
    """Lookup table that maps single-token words to their ids.

    Args:
        words: dict mapping words (at most 16 bytes) to their ids.

    Call arguments:
        flat: `FlatTexts`.
        starts: int32 `(num_words,)`, the first byte of each word.
        lengths: int32 `(num_words,)`, in bytes.

    Returns:
        int32 `(num_words,)`, ids, or `NOT_WHOLE`.
    """

    def __init__(self, words):
        # Two little-endian integers per word, as in `_words`.
        padded = b"".join(word.ljust(MAX_BYTES, b"\0") for word in words)
        low, high = np.frombuffer(padded, "<i8").reshape(-1, 2).T
        lengths = np.array([len(word) for word in words], np.int32)
        self._number_of = PerfectHash(low, high, lengths)
        self._ids = tf.constant([*words.values(), NOT_WHOLE], tf.int32)

    def __call__(self, flat, starts, lengths):
        low, high = _words(flat.bytes, starts, lengths)
        numbers = self._number_of(low, high, lengths)
        last = tf.size(self._ids) - 1  # The index of `NOT_WHOLE`.
        return tf.gather(self._ids, tf.where(numbers < 0, last, numbers))


def _words(codes, starts, lengths):
    """Return the first 16 bytes of words as two int64, padded with 0."""
    # [num_bytes / 8], one integer for 8 bytes.
    blocks = tf.bitcast(tf.reshape(codes, [-1, _HALF]), tf.int64)
    last = tf.size(blocks) - 1
    block = starts // _HALF
    shift = starts % _HALF
    # 16 bytes from any position are in at most three blocks.
    first, second, third = (
        tf.gather(blocks, tf.minimum(block + n, last)) for n in range(3)
    )
    # A right shift of a negative integer fills the upper bits with ones.
    kept = tf.gather(_LOWEST, _HALF - shift)
    bits = 8 * tf.cast(shift, tf.int64)

    def joined(one, other):
        """Extract 8 bytes from two adjacent blocks, starting at `shift`."""
        # In two steps, because a shift by 64 is undefined.
        upper = _left_shift(_left_shift(other, 56 - bits), 8)
        return (_right_shift(one, bits) & kept) | upper

    low_bytes = tf.minimum(lengths, _HALF)
    high_bytes = tf.clip_by_value(lengths - _HALF, 0, _HALF)
    return (
        joined(first, second) & tf.gather(_LOWEST, low_bytes),
        joined(second, third) & tf.gather(_LOWEST, high_bytes),
    )


def whole_words(words, symbols, merge):
    """Create `WholeWords` from the words that merge into a single token.

    Args:
        words: dict mapping words (bytes) to their ids. Words of more than 16
            bytes are skipped.
        symbols: list of the symbols of each word, sequences of int.
        merge: callable that takes symbols and the indices of their words, and
            returns tokens.
    """
    lengths = np.array([*map(len, symbols)], np.int64)
    tokens = merge(
        tf.constant(np.fromiter(itertools.chain(*symbols), np.int32)),
        tf.constant(np.repeat(np.arange(len(words)), lengths)),
    ).numpy()
    # The word is a single token if its first symbol became its token.
    firsts = tokens[np.cumsum(lengths) - lengths]
    pairs = zip(words.items(), firsts, strict=True)
    return WholeWords(
        {
            word: index
            for (word, index), first in pairs
            if first == index and len(word) <= MAX_BYTES
        }
    )
