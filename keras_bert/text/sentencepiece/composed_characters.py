"""Characters that a SentencePiece table composes from two or three others.

The first table decomposes texts and drops combining characters. Some elements
are not combining characters: the jamo of Hangul syllables, and vowel signs of
Indic scripts. The table of the model composes them again.
"""

import unicodedata

import numpy as np
import tensorflow as tf

from keras_bert.text.normalization.replacements import replacements
from keras_bert.text.sentencepiece.character_codes import CharacterCodes

_MAX_SECONDS = 59  # One op distinguishes them, and 4 other characters.


class ComposedCharacters:
    """Callable that finds composed characters.

    Its attribute `elements` is the set of the characters in sequences,
    `seconds` the list of those in second position. A text without them has no
    sequence.

    Args:
        charsmap: bytes, the replacement table of the op.
        known: set of str, the known characters.

    Call arguments:
        texts: string `(batch_size,)`.
        begins: int64 `(batch_size,)`, see `CharacterCodes`.
        index: int64 `(num_characters,)`, the index of each character in codes.
        seconds: int32 `(num_characters,)`, the index of each character in
            `seconds`, -1 for other characters.
        offsets: int64 `(num_characters,)`, byte offsets of the characters. Each
            text has an item for its end.

    Returns:
        Three masks, bool `(num_characters,)`: elements of composed
        characters; elements of known ones; elements except the first of each.
    """

    def __init__(self, charsmap, known):
        keys = _composing_keys(charsmap)
        self.elements = {character for key in keys for character in key}
        self.seconds = _sorted(key[1] for key in keys)
        firsts = _sorted(key[0] for key in keys)
        thirds = _sorted(key[2:] for key in keys if len(key) == 3)
        pairs = [key for key in keys if len(key) == 2]
        # Position 0 of each table is for other characters and pairs.
        shape = len(firsts) + 1, len(self.seconds) + 1
        pair_table = np.zeros(shape, np.int32)
        for number, pair in enumerate(pairs, 1):
            row, column = firsts.index(pair[0]), self.seconds.index(pair[1])
            pair_table[row + 1, column + 1] = number
        # The last column is for pairs without a third character.
        results = np.zeros((len(pairs) + 1, len(thirds) + 1), np.int8)
        numbers = {pair: number for number, pair in enumerate(pairs, 1)}
        for key, composed in keys.items():
            column = thirds.index(key[2]) if len(key) == 3 else -1
            results[numbers[key[:2]], column] = 1 + (composed in known)
        self._pairs, self._results = map(tf.constant, (pair_table, results))
        self._num_thirds = len(thirds)
        self._first_code = CharacterCodes(firsts)
        self._third_code = CharacterCodes(thirds)
        sizes = [len(c.encode()) for c in firsts + self.seconds]
        self._first_sizes = tf.constant(sizes[: len(firsts)], tf.int64)
        self._second_sizes = tf.constant(sizes[len(firsts) :], tf.int64)

    def __call__(self, texts, begins, index, seconds, offsets):
        none = tf.zeros_like(index, tf.bool)
        return tf.cond(
            tf.reduce_any(seconds >= 0),
            lambda: self._find(texts, begins, index, seconds, offsets),
            lambda: (none, none, none),
        )

    def _find(self, texts, begins, index, seconds, offsets):
        first = tf.gather(self._first_code(texts, begins), index)
        third = tf.gather(self._third_code(texts, begins), index)
        # Characters follow each other if no dropped character is between them.
        distance = _next(offsets, 0) - offsets
        size = tf.gather(self._first_sizes, tf.maximum(first, 0))
        second = tf.where(tf.equal(distance, size), _next(seconds, -1), -1)
        size = tf.gather(self._second_sizes, tf.maximum(seconds, 0))
        third = tf.where(tf.equal(distance, size), _next(third, -1), -1)
        third = _next(third, -1)
        pair = tf.gather_nd(self._pairs, tf.stack([first, second], 1) + 1)
        last = tf.fill(tf.shape(pair), self._num_thirds)
        of_three = tf.stack([pair, tf.where(third < 0, last, third)], 1)
        of_two = tf.stack([pair, last], 1)
        result = tf.cast(tf.gather_nd(self._results, of_three), tf.int32)
        has_third = (third >= 0) & (result > 0)
        result = tf.where(
            has_third,
            result,
            tf.cast(tf.gather_nd(self._results, of_two), tf.int32),
        )
        is_first, is_known = result > 0, result > 1
        is_second = _previous(is_first)
        is_third = _previous(_previous(has_third))
        is_known |= _previous(is_known) | (
            _previous(_previous(is_known)) & is_third
        )
        is_later = is_second | is_third
        return is_first | is_later, is_known, is_later


def _composing_keys(charsmap):
    """Map sequences of characters to the characters that they compose."""
    keys = {
        key: composed
        for key, composed in replacements(charsmap).items()
        if len(key) in (2, 3)
        and len(composed) == 1
        and unicodedata.normalize("NFC", key) == composed
    }
    # The second characters in use have low code points.
    seconds = _sorted(key[1] for key in keys)[:_MAX_SECONDS]
    firsts = {key[0] for key in keys}
    # No character is both first and second, so sequences cannot overlap.
    return {
        key: composed
        for key, composed in keys.items()
        if key[1] in seconds and key[:2] in keys and firsts.isdisjoint(key[1:])
    }


def _sorted(characters):
    return sorted({*characters})


def _next(values, fill):
    """Shift values to the left by one and append `fill`."""
    return tf.concat([values[1:], tf.cast([fill], values.dtype)], 0)


def _previous(flags):
    """Shift flags to the right by one."""
    return tf.concat([[False], flags[:-1]], 0)
