"""Unicode normalization form C (NFC) with TensorFlow ops.

Like `tokenizers` 0.23, it uses Unicode 9.0: a file lists the characters that
have a combining class or a decomposition in this version. Their properties have
not changed since, so they are read from Python's `unicodedata`.

References:
    [Unicode Normalization Forms](https://www.unicode.org/reports/tr15/)
"""

import functools
import pathlib
import typing
import unicodedata

import numpy as np
import tensorflow as tf

from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import shift
from keras_bert.text.flat_texts import splice
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.character_kinds import in_pages
from keras_bert.text.normalization.character_kinds import long_characters
from keras_bert.text.normalization.code_points import NUM_CODE_POINTS
from keras_bert.text.perfect_hash import NOT_FOUND
from keras_bert.text.perfect_hash import PerfectHash

_RANGES = pathlib.Path(__file__).with_name("tables")
_RANGES /= "unicode_9_normalized.txt"
# First byte of U+0300. Characters before U+0300 never compose.
_FIRST_BYTE = 0xCC
# Hangul jamo, which compose by arithmetic.
_LEADS, _VOWELS, _TAILS, _SYLLABLES = 0x1100, 0x1161, 0x11A7, 0xAC00
_NUM_LEADS, _NUM_VOWELS, _NUM_TAILS = 19, 21, 28


class _Elements(typing.NamedTuple):
    """Decomposed characters in canonical order, all int32 `(num_elements,)`."""

    points: tf.Tensor  # Code points; other bytes have larger values.
    classes: tf.Tensor  # Combining classes.
    groups: tf.Tensor  # Index of the group of elements that may compose.
    changes: tf.Tensor  # 1 - number of consumed characters.


class Composition:
    """Unicode normalizer that applies NFC.

    Bytes that are not text or not part of a well-formed character do not
    change, and characters do not compose across them.

    Call arguments:
        flat: `FlatTexts`.

    Returns:
        `FlatTexts` with `ends`.
    """

    def __init__(self):
        classes, decompositions, pairs = _data()
        self._classes = in_pages(classes)
        lengths = np.array([1] + [len(d) for d in decompositions.values()])
        self._lengths = tf.constant(lengths, tf.int32)
        firsts = np.cumsum(lengths) - lengths
        self._firsts = tf.constant(firsts, tf.int32)
        flat = [0, *(ord(c) for d in decompositions.values() for c in d)]
        self._decomposed = tf.constant(flat, tf.int32)
        numbers = np.zeros(NUM_CODE_POINTS, np.int32)
        numbers[[*decompositions]] = np.arange(1, len(lengths))
        self._numbers = in_pages(numbers)
        first, second = np.array([*pairs], np.int32).T
        self._pair_number = PerfectHash(first, second)
        self._composed = tf.constant([*pairs.values(), 0], tf.int32)
        follows = np.zeros(NUM_CODE_POINTS, np.uint8)
        follows[second] = True
        follows[_VOWELS : _VOWELS + _NUM_VOWELS] = True
        follows[_TAILS + 1 : _TAILS + _NUM_TAILS] = True
        self._follows = in_pages(follows)
        is_changed = (classes > 0) | (follows > 0)
        for point in decompositions:
            is_stable = unicodedata.is_normalized("NFC", chr(point))
            is_changed[point] |= not is_stable
        self._is_unsafe = in_pages(is_changed)

    def __call__(self, flat):
        flat = flat._replace(ends=flat.origins + 1)
        # Fast paths: most texts have no such byte or no such character.
        return tf.cond(
            tf.reduce_any(flat.bytes >= _FIRST_BYTE),
            lambda: self._composed_if_needed(flat),
            lambda: flat,
        )

    def _composed_if_needed(self, flat):
        starts, _, points = long_characters(flat.bytes, _FIRST_BYTE)
        is_unsafe = self._is_unsafe(points) & tf.gather(flat.is_text, starts)
        return tf.cond(
            tf.reduce_any(is_unsafe), lambda: self._compose(flat), lambda: flat
        )

    def _compose(self, flat):
        codes = tf.cast(flat.bytes, tf.int32)
        starts, lengths, points = long_characters(flat.bytes)  # [num_long]
        is_unsafe = self._is_unsafe(points) & tf.gather(flat.is_text, starts)
        inside = tf.ragged.range(starts + 1, starts + lengths).flat_values
        size = tf.shape(codes)
        # First bytes of characters, and bytes outside of characters.
        positions = where(
            scatter(tf.fill(size, True), inside, tf.zeros_like(inside, tf.bool))
        )
        # Select characters that may change, and the character before each.
        unsafe = scatter(tf.fill(size, False), starts, is_unsafe)
        unsafe = tf.gather(unsafe, positions)
        affected = unsafe | tf.concat([unsafe[1:], [False]], 0)
        positions = tf.boolean_mask(positions, affected)  # [num_affected]
        sizes = scatter(tf.fill(size, 1), starts, lengths)
        sizes = tf.gather(sizes, positions)
        # Give bytes that are not text values above all code points.
        points = scatter(
            tf.where(codes < 0x80, codes, codes + NUM_CODE_POINTS),
            starts,
            points,
        )
        points = tf.where(flat.is_text, points, codes + NUM_CODE_POINTS)
        elements = self._ordered(tf.gather(points, positions))
        elements = self._merged(elements)
        consumed = 1 - tf.minimum(elements.changes, 1)  # [num_elements]
        # Index of the first affected character that an element consumes. An
        # element that consumes none belongs to the character before.
        origins = tf.cumsum(consumed, exclusive=True)
        origins -= tf.cast(elements.changes > 0, tf.int32)
        codes, rows = _encoded(elements.points)  # [num_new_bytes]
        old, sizes_of = (
            tf.gather(tf.gather(x, origins), rows) for x in (positions, sizes)
        )
        gone = tf.ragged.range(positions, positions + sizes).flat_values
        stays = scatter(tf.fill(size, True), gone, tf.zeros_like(gone, tf.bool))
        ends = tf.gather(flat.origins, old) + sizes_of
        return splice(flat, stays, old, tf.cast(codes, tf.uint8), ends)

    def _ordered(self, points):
        numbers = self._numbers(points)
        lengths = tf.gather(self._lengths, numbers)
        inside = tf.ragged.range(lengths)  # [num_affected, (num_elements)]
        rows, inside = inside.value_rowids(), inside.flat_values
        numbers, points = tf.gather(numbers, rows), tf.gather(points, rows)
        firsts = tf.gather(self._firsts, numbers)
        points = tf.where(
            numbers > 0, tf.gather(self._decomposed, firsts + inside), points
        )
        # The first element of a decomposition consumes the character.
        changes = tf.cast(inside > 0, tf.int32)
        classes = tf.cast(self._classes(points), tf.int32)
        # Canonical ordering sorts the marks after a starter by class. The index
        # makes the sort stable.
        starters = tf.cumsum(tf.cast(tf.equal(classes, 0), tf.int64))
        keys = starters * 256 + tf.cast(classes, tf.int64)
        size = tf.size(points, tf.int64)
        order = tf.argsort(keys * size + tf.range(size))
        points, classes, changes = (
            tf.gather(x, order) for x in (points, classes, changes)
        )
        # A starter that is never second in a pair begins a group.
        begins = tf.equal(classes, 0) & tf.equal(self._follows(points), 0)
        groups = tf.cumsum(tf.cast(begins, tf.int32))
        return _Elements(points, classes, groups, changes)

    def _merged(self, elements):
        """Compose the first pair of each group until no pair is left."""
        pairs = self._pairs(elements)
        shapes = [tf.TensorShape([None])] * 3
        elements, *_ = tf.while_loop(
            lambda _, pairs: tf.size(pairs[0]) > 0,
            self._merge,
            (elements, pairs),
            (_Elements(*shapes, shapes[0]), tuple(shapes)),
        )
        return elements

    def _merge(self, elements, pairs):
        first, second, composed = pairs
        changes = tf.gather(elements.changes, second) - 1
        elements = elements._replace(
            points=scatter(elements.points, first, composed),
            changes=scatter(
                elements.changes,
                first,
                tf.gather(elements.changes, first) + changes,
            ),
        )
        stays = tf.fill(tf.shape(elements.points), True)
        stays = scatter(stays, second, tf.zeros_like(second, tf.bool))
        elements = _Elements(*(tf.boolean_mask(x, stays) for x in elements))
        return elements, self._pairs(elements)

    def _pairs(self, elements):
        """Find each group's first composable pair and its composition."""
        points, classes, groups, _ = elements
        is_starter = tf.equal(classes, 0)
        starters = where(is_starter)
        # Index of the last starter before each element, [num_elements].
        number = tf.cumsum(tf.cast(is_starter, tf.int32), exclusive=True) - 1
        starter = tf.gather(starters, tf.maximum(number, 0))
        indices = tf.range(tf.size(points))
        # Marks are sorted by class, so only the mark before can block a pair.
        is_free = tf.equal(starter, indices - 1)
        is_free |= shift(classes, 0) < classes
        second = where(is_free & tf.equal(tf.gather(groups, starter), groups))
        first = tf.gather(starter, second)
        composed = self._composed_of(
            tf.gather(points, first), tf.gather(points, second)
        )
        # A merge changes the next pair of its group, so merge only the first.
        matches = where(composed > 0)
        group = tf.gather(groups, tf.gather(second, matches))
        matches = tf.boolean_mask(
            matches, tf.not_equal(shift(group, -1), group)
        )
        return tuple(tf.gather(x, matches) for x in (first, second, composed))

    def _composed_of(self, first, second):
        numbers = self._pair_number(first, second)
        last = tf.size(self._composed) - 1  # Its value is 0: no composition.
        numbers = tf.where(tf.equal(numbers, NOT_FOUND), last, numbers)
        # A syllable is a lead and a vowel, or an open syllable and a tail.
        lead, vowel = first - _LEADS, second - _VOWELS
        is_open = (0 <= lead) & (lead < _NUM_LEADS)
        is_open &= (0 <= vowel) & (vowel < _NUM_VOWELS)
        syllable, tail = first - _SYLLABLES, second - _TAILS
        is_closed = (0 <= syllable) & tf.equal(syllable % _NUM_TAILS, 0)
        is_closed &= syllable < _NUM_LEADS * _NUM_VOWELS * _NUM_TAILS
        is_closed &= (0 < tail) & (tail < _NUM_TAILS)
        of_jamo = _SYLLABLES + (lead * _NUM_VOWELS + vowel) * _NUM_TAILS
        return tf.where(
            is_open,
            of_jamo,
            tf.where(
                is_closed, first + tail, tf.gather(self._composed, numbers)
            ),
        )


def _encoded(points):
    """Encode code points in UTF-8.

    Returns:
        The bytes, and for each byte the index of its code point.
    """
    is_byte = points >= NUM_CODE_POINTS  # Bytes that are not text or not UTF-8.
    counts = 1 + tf.cast(points >= 0x80, tf.int32)
    counts += tf.cast(points >= 0x800, tf.int32)
    counts += tf.cast(points >= 0x10000, tf.int32)
    counts = tf.where(is_byte, 1, counts)
    inside = tf.ragged.range(counts)  # [num_points, (1 to 4)]
    rows, inside = inside.value_rowids(), inside.flat_values
    points, lengths = tf.gather(points, rows), tf.gather(counts, rows)
    # Each byte after the first has 6 bits of the code point.
    bits = tf.bitwise.right_shift(points, 6 * (lengths - 1 - inside))
    leading = tf.gather([0, 0, 0xC0, 0xE0, 0xF0], lengths)
    codes = tf.where(tf.equal(inside, 0), leading + bits, 0x80 + bits % 64)
    codes = tf.where(points >= NUM_CODE_POINTS, points - NUM_CODE_POINTS, codes)
    return codes, rows


@functools.cache
def _data():
    """Return the combining classes, decompositions and pair compositions."""
    classes = np.zeros(NUM_CODE_POINTS, np.uint8)
    decompositions, pairs = {}, {}
    for line in _RANGES.read_text(encoding="ascii").splitlines():
        first, last = (int(end, 16) for end in line.split("-"))
        for point in range(first, last + 1):
            character = chr(point)
            classes[point] = unicodedata.combining(character)
            decomposed = unicodedata.normalize("NFD", character)
            if decomposed == character:
                continue
            decompositions[point] = decomposed
            mapping = unicodedata.decomposition(character).split()
            if (
                unicodedata.is_normalized("NFC", character)
                and len(mapping) == 2
            ):
                pairs[tuple(int(code, 16) for code in mapping)] = point
    return classes, decompositions, pairs
