"""Matcher for special and added tokens in texts before tokenization.

Special tokens (<mask>) and other added tokens (runs of spaces) are matched from
left to right, without overlap; the longest match wins. An automaton runs in
parallel at all positions where the first two bytes of a token match.
"""

import numpy as np
import tensorflow as tf

from keras_bert.text.flat_texts import flatten
from keras_bert.text.flat_texts import in_rows
from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.character_kinds import character_kinds
from keras_bert.text.normalization.code_points import SPACE
from keras_bert.text.pieces import Pieces

_DEAD, _ROOT = 0, 1
_NO_ID = -1
_LAST_SPACES = r"[\s\x{85}\p{Z}]+$"


class FindTokens:
    """Matcher for added tokens in texts.

    Args:
        ids: dict mapping tokens (not empty) to their ids.
        takes_space: ids of the tokens that include the white space before
            them.

    Call arguments:
        flat: `FlatTexts`.

    Returns:
        `FlatTexts` with the ids of the matches in `tokens`.
    """

    def __init__(self, ids, takes_space=()):
        tokens = {text.encode(): index for text, index in ids.items()}
        classes, following, ids = _automaton(tokens)
        self._classes = tf.constant(classes)
        self._num_classes = following.shape[1]
        self._following = tf.constant(following.reshape(-1))
        self._ids = tf.constant(ids)
        # The first two bytes of each token, or its only byte.
        self._begins = sorted({token[:2] for token in tokens})
        self._taking = tf.constant([*takes_space], tf.int32)

    def __call__(self, flat):
        following = tf.concat([flat.bytes[1:], [0]], 0)  # [num_bytes]
        begins = tf.fill(tf.shape(flat.bytes), False)
        for first, *second in self._begins:
            is_here = tf.equal(flat.bytes, first)
            for code in second:
                is_here &= tf.equal(following, code)
            begins |= is_here
        positions = where(begins)  # [num_candidates]
        lengths, ids = self._longest(flat, positions)
        positions, lengths, ids = (
            tf.boolean_mask(x, lengths > 0) for x in (positions, lengths, ids)
        )
        # Matches may overlap: a token can begin inside another token.
        chosen = _from_the_left(positions, positions + lengths)
        positions, lengths, ids = (
            tf.boolean_mask(x, chosen) for x in (positions, lengths, ids)
        )
        firsts = positions  # [num_tokens]
        if len(self._taking):
            takes = tf.equal(ids[:, tf.newaxis], self._taking)
            takes = tf.reduce_any(takes, 1)
            firsts = tf.where(takes, _before_space(flat, positions), positions)
        covered = tf.ragged.range(firsts, positions + lengths).flat_values
        nothing = tf.zeros_like(covered, tf.bool)
        # Matched bytes are not text, so that no later step changes them.
        return flat._replace(
            tokens=scatter(flat.tokens, positions, ids),
            is_text=scatter(flat.is_text, covered, nothing),
        )

    def _longest(self, flat, positions):
        """Return the length (0 if none) and the id of the longest match."""
        states = tf.fill(tf.shape(positions), _ROOT)  # [num_candidates]
        lengths, ids = tf.zeros_like(positions), tf.zeros_like(positions)
        last = tf.size(flat.bytes) - 1

        def step(number, states, lengths, ids):
            index = tf.minimum(positions + number, last)  # Do not read outside.
            code = tf.cast(tf.gather(flat.bytes, index), tf.int32)
            code = tf.gather(self._classes, code)
            # Class 0 is in no token. Matches therefore end where the text ends.
            code *= tf.cast(tf.gather(flat.is_text, index), tf.int32)
            # The transition table is flat, with a row for each state.
            states = tf.gather(
                self._following, states * self._num_classes + code
            )
            new_ids = tf.gather(self._ids, states)
            is_match = tf.not_equal(new_ids, _NO_ID)
            # A longer match replaces a shorter match.
            lengths = tf.where(is_match, number + 1, lengths)
            return number + 1, states, lengths, tf.where(is_match, new_ids, ids)

        _, _, lengths, ids = tf.while_loop(
            lambda _, states, *__: tf.reduce_any(tf.not_equal(states, _DEAD)),
            step,
            (0, states, lengths, ids),
        )
        return lengths, ids


def _automaton(ids):
    """Build the automaton: byte classes, transitions and token ids by state."""
    codes = sorted({code for text in ids for code in text})
    classes = np.zeros(256, np.int32)
    classes[codes] = np.arange(1, len(codes) + 1)  # Other bytes have class 0.
    following, state_ids = [{}, {}], [_NO_ID, _NO_ID]  # `_DEAD` and `_ROOT`.
    for text, number in ids.items():
        state = _ROOT
        for code in text:
            if code not in following[state]:
                following[state][code] = len(following)
                following.append({})
                state_ids.append(_NO_ID)
            state = following[state][code]
        state_ids[state] = number
    # [num_states, num_classes]
    table = np.full((len(following), len(codes) + 1), _DEAD, np.int32)
    for state, nexts in enumerate(following):
        for code, other in nexts.items():
            table[state, classes[code]] = other
    return classes, table, np.array(state_ids, np.int32)


def _from_the_left(starts, ends):
    """Choose spans without overlap, from left to right, and return a mask."""
    size = tf.size(starts)
    following = tf.searchsorted(starts, ends)  # Index of the next span.
    following = tf.concat([following, [size]], 0)  # The end follows itself.
    chosen = tf.equal(tf.range(size + 1), 0)  # [num_spans + 1]

    def step(following, chosen):
        """Double the number of chosen spans."""
        further = tf.boolean_mask(following, chosen)
        more = tf.fill(tf.shape(further), True)
        # Pointer jumping: each step doubles the distance of `following`.
        return tf.gather(following, following), scatter(chosen, further, more)

    _, chosen = tf.while_loop(
        lambda following, chosen: ~chosen[-1], step, (following, chosen)
    )
    return chosen[:-1]


def _before_space(flat, positions):
    """Return the start of the white space before each position."""
    kinds, _ = character_kinds(flat)
    # Separators are not white space, so there is always a byte before.
    others = where(tf.not_equal(kinds, SPACE))
    before = tf.searchsorted(others, positions) - 1
    return tf.gather(others, before) + 1


class SplitAtTokens:
    """Callable that matches added tokens and tokenizes the other segments.

    Args:
        ids: dict mapping added tokens to their ids.
        takes_space: ids of the tokens without white space before them in the
            segments.

    Call arguments:
        texts: string tensor `(batch_size,)`.
        cut: function that tokenizes a string tensor to `Pieces`.

    Returns:
        `Pieces` of the texts.
    """

    def __init__(self, ids, takes_space=()):
        self._find = FindTokens(ids)
        sizes = dict.fromkeys(range(max(ids.values()) + 1), 0)
        sizes |= {index: len(text.encode()) for text, index in ids.items()}
        self._sizes = tf.constant([*sizes.values()])
        self._taking = [*takes_space]

    # AutoGraph is not needed, and would make tracing ten times slower.
    @tf.autograph.experimental.do_not_convert
    def __call__(self, texts, cut):
        flat = self._find(flatten(texts))
        positions, tokens = in_rows(flat)  # [num_tokens], [B, (num_tokens)]
        ids, of_rows = tokens.values, tf.cast(tokens.row_splits, tf.int32)
        rows = tf.cast(tokens.value_rowids(), tf.int32)
        # A text begins one byte after its separator.
        starts = positions - tf.gather(flat.separators, rows) - 1
        ends = starts + tf.gather(self._sizes, ids)
        # There is a text segment before each token and after the last token.
        number = tf.range(tf.size(ids))
        before, size = number + rows, tf.size(ids) + tf.size(texts)
        lasts = of_rows[1:] + tf.range(tf.size(texts))  # Last segment per text.
        zeros = tf.zeros([size], tf.int32)  # [num_segments]
        first = scatter(zeros, before + 1, ends)
        last = scatter(zeros, before, starts)
        last = scatter(last, lasts, tf.strings.length(texts))
        rows = tf.searchsorted(lasts, tf.range(size))  # Text of each segment.
        segments = tf.gather(texts, rows)
        segments = tf.strings.substr(segments, first, last - first)
        if self._taking:
            takes = tf.equal(ids[:, tf.newaxis], self._taking)
            takes = tf.reduce_any(takes, 1)
            takes = scatter(tf.fill([size], False), before, takes)
            shorter = tf.strings.regex_replace(segments, _LAST_SPACES, "")
            segments = tf.where(takes, shorter, segments)
        pieces = cut(segments)
        # A piece comes after all tokens that precede its segment.
        splits = tf.cast(pieces.row_splits, tf.int32)
        segment = tf.cast(pieces.ragged(pieces.ids).value_rowids(), tf.int32)
        piece_indices = tf.range(tf.size(segment)) + segment
        piece_indices -= tf.gather(rows, segment)
        # A token comes after the pieces of all segments up to its own.
        token_indices = tf.gather(splits, before + 1) + number
        # Offsets into a segment become offsets into its text.
        moved = tf.cast(tf.gather(first, segment), pieces.starts.dtype)

        def joined(values, of_tokens):
            size = [tf.size(values) + tf.size(of_tokens)]
            both = scatter(tf.zeros(size, values.dtype), piece_indices, values)
            of_tokens = tf.cast(of_tokens, values.dtype)
            return scatter(both, token_indices, of_tokens)

        # First segment of each text, and the number of segments.
        segments = of_rows + tf.range(tf.size(of_rows))
        return Pieces(
            joined(pieces.ids, ids),
            joined(pieces.starts + moved, starts),
            joined(pieces.ends + moved, ends),
            tf.cast(tf.gather(splits, segments) + of_rows, tf.int64),
        )
