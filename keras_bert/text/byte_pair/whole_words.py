"""Words that are one token: most words, found without merging."""

import itertools

import numpy as np
import tensorflow as tf

from keras_bert.text.byte_pair.vocabulary import spelled_bytes
from keras_bert.text.perfect_hash import PerfectHash

# A word up to this length is compared as two integers; longer ones, of which
# there are few, are merged.
_MAX_BYTES = 16
_HALF = 8
NOT_WHOLE = -1

# The lowest n bytes of an integer, for n from 0 to 8.
_LOWEST = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
_LOWEST = _LOWEST.view(np.int64)
_right_shift, _left_shift = tf.bitwise.right_shift, tf.bitwise.left_shift


class WholeWords:
    """Gives the ids of words that are one token.

    Args:
        vocabulary: `BytePairVocabulary`.
        merge: `BytePairMerges`.

    Call arguments:
        flat: `FlatTexts`.
        starts: int32 `(num_words,)`, where words begin.
        lengths: int32 `(num_words,)`, their bytes.

    Returns:
        int32 `(num_words,)`, ids, or `NOT_WHOLE`.
    """

    def __init__(self, vocabulary, merge):
        tokens = _whole_tokens(vocabulary, merge)
        padded = b"".join(word.ljust(_MAX_BYTES, b"\0") for word in tokens)
        low, high = np.frombuffer(padded, "<i8").reshape(-1, 2).T
        lengths = np.array([len(word) for word in tokens], np.int32)
        self._number_of = PerfectHash(low, high, lengths)
        self._ids = tf.constant([*tokens.values(), NOT_WHOLE], tf.int32)

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


def _whole_tokens(vocabulary, merge):
    """The ids of short tokens that are merged to themselves, by their bytes.

    Others, as <s>, no word is cut into.
    """
    words = {}
    for number, token in enumerate(vocabulary.tokens):
        spelled = spelled_bytes(token)
        if spelled and len(spelled) <= _MAX_BYTES:
            words[spelled] = number
    lengths = np.array([len(word) for word in words])
    codes = np.frombuffer(b"".join(words), np.uint8)
    tokens = merge(
        tf.constant(codes),
        tf.constant(np.repeat(np.arange(len(words)), lengths)),
    ).numpy()
    firsts = np.cumsum(lengths) - lengths
    is_whole = tokens[firsts] == [*words.values()]
    return {word: words[word] for word in itertools.compress(words, is_whole)}
