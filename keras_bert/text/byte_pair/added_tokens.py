"""Tokens that are found in a text before it is cut into words.

They are special tokens, such as <mask>, and others that a tokenizer adds, such
as runs of spaces. Of those that begin at a place the longest is found, and from
the left, so that none overlap. An automaton looks at all places at once where
two bytes begin one.
"""

import numpy as np
import tensorflow as tf

from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.character_kinds import SPACE
from keras_bert.text.normalization.character_kinds import character_kinds

_DEAD, _ROOT = 0, 1
_NO_ID = -1


class FindTokens:
    """Takes tokens out of texts.

    Args:
        ids: dict from the texts of tokens, not empty, to their ids.
        takes_space: ids of the tokens that take the white space before them.

    Call arguments:
        flat: `FlatTexts`.

    Returns:
        `FlatTexts` that have their ids as `tokens`.
    """

    def __init__(self, ids, takes_space=()):
        tokens = {text.encode(): index for text, index in ids.items()}
        classes, following, ids = _automaton(tokens)
        self._classes = tf.constant(classes)
        self._num_classes = following.shape[1]
        self._following = tf.constant(following.reshape(-1))
        self._ids = tf.constant(ids)
        # The first two bytes of tokens; of one byte, that.
        self._begins = sorted({token[:2] for token in tokens})
        self._taking = tf.constant([*takes_space], tf.int32)

    def __call__(self, flat):
        following = tf.concat([flat.bytes[1:], [0]], 0)
        begins = tf.fill(tf.shape(flat.bytes), False)
        for first, *second in self._begins:
            is_here = tf.equal(flat.bytes, first)
            for code in second:
                is_here &= tf.equal(following, code)
            begins |= is_here
        places = where(begins)
        lengths, ids = self._longest(flat, places)
        places, lengths, ids = (
            tf.boolean_mask(x, lengths > 0) for x in (places, lengths, ids)
        )
        chosen = _from_the_left(places, places + lengths)
        places, lengths, ids = (
            tf.boolean_mask(x, chosen) for x in (places, lengths, ids)
        )
        firsts = places
        if len(self._taking):
            takes = tf.equal(ids[:, tf.newaxis], self._taking)
            takes = tf.reduce_any(takes, 1)
            firsts = tf.where(takes, _before_space(flat, places), places)
        covered = tf.ragged.range(firsts, places + lengths).flat_values
        nothing = tf.zeros_like(covered, tf.bool)
        return flat._replace(
            tokens=scatter(flat.tokens, places, ids),
            is_text=scatter(flat.is_text, covered, nothing),
        )

    def _longest(self, flat, places):
        """The bytes of the longest token at each place, or 0, and its id."""
        states = tf.fill(tf.shape(places), _ROOT)
        lengths, ids = tf.zeros_like(places), tf.zeros_like(places)
        last = tf.size(flat.bytes) - 1

        def step(number, states, lengths, ids):
            place = tf.minimum(places + number, last)
            code = tf.cast(tf.gather(flat.bytes, place), tf.int32)
            code = tf.gather(self._classes, code)
            code *= tf.cast(tf.gather(flat.is_text, place), tf.int32)
            states = tf.gather(
                self._following, states * self._num_classes + code
            )
            found = tf.gather(self._ids, states)
            is_found = tf.not_equal(found, _NO_ID)
            lengths = tf.where(is_found, number + 1, lengths)
            return number + 1, states, lengths, tf.where(is_found, found, ids)

        _, _, lengths, ids = tf.while_loop(
            lambda _, states, *__: tf.reduce_any(tf.not_equal(states, _DEAD)),
            step,
            (0, states, lengths, ids),
        )
        return lengths, ids


def _automaton(ids):
    """Classes of bytes, what state follows by state and class, and ids."""
    codes = sorted({code for text in ids for code in text})
    classes = np.zeros(256, np.int32)
    classes[codes] = np.arange(1, len(codes) + 1)
    following, found = [{}, {}], [_NO_ID, _NO_ID]
    for text, number in ids.items():
        state = _ROOT
        for code in text:
            if code not in following[state]:
                following[state][code] = len(following)
                following.append({})
                found.append(_NO_ID)
            state = following[state][code]
        found[state] = number
    table = np.full((len(following), len(codes) + 1), _DEAD, np.int32)
    for state, nexts in enumerate(following):
        for code, other in nexts.items():
            table[state, classes[code]] = other
    return classes, table, np.array(found, np.int32)


def _from_the_left(starts, ends):
    """Which spans are found if each begins behind the one before, bool."""
    size = tf.size(starts)
    behind = tf.searchsorted(starts, ends)  # The next one of each.
    behind = tf.concat([behind, [size]], 0)
    chosen = tf.equal(tf.range(size + 1), 0)

    def step(behind, chosen):
        """As far again: the chosen ones, and as many behind them."""
        further = tf.boolean_mask(behind, chosen)
        more = tf.fill(tf.shape(further), True)
        return tf.gather(behind, behind), scatter(chosen, further, more)

    _, chosen = tf.while_loop(
        lambda behind, chosen: ~chosen[-1], step, (behind, chosen)
    )
    return chosen[:-1]


def _before_space(flat, places):
    """The beginning of the white space that ends at each place."""
    kinds, _ = character_kinds(flat)
    others = where(tf.not_equal(kinds, SPACE))
    before = tf.searchsorted(others, places) - 1
    return tf.gather(others, before) + 1
