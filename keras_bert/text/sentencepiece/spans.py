"""Byte offsets of SentencePiece pieces, which the op does not return.

A text is split into units: each known character is a unit, and each run of
unknown characters is a unit, because it is a single piece. A piece covers as
many units as it has characters, so the spans of the units are sufficient. They
are computed by `FastBertNormalize` ops, which keep some of the characters and
return their offsets.
"""

import tensorflow as tf

from keras_bert.text.normalization.normalizers import QUOTE
from keras_bert.text.normalization.normalizers import QUOTING
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.normalization.replacements import build_table
from keras_bert.text.normalization.replacements import has_key
from keras_bert.text.normalization.replacements import single_replacements
from keras_bert.text.pieces import normalizer_op
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.special_tokens import MARKS
from keras_bert.text.sentencepiece.special_tokens import in_special_tokens

_SPACE = " "
_FIRST_MARK = 2  # Other bytes have length 1.


class PieceSpans:
    """Callable that computes piece spans in normalized texts.

    Args:
        pieces: list of `Piece`, the pieces of the op.
        charsmap: bytes, the replacement table of the op. Of its keys with
            several characters, only the pairs of quotation marks are used here.
        special_tokens: collection of str, special tokens that may be marked in
            texts.

    Call arguments:
        pieces: RaggedTensor, int32 `(batch_size, (num_pieces))`, the result of
            the op.
        texts: string `(batch_size,)`, normalized; only " " is white space.

    Returns:
        Starts and ends, int64 `(total_num_pieces,)`, byte offsets.
    """

    def __init__(self, pieces, charsmap, special_tokens=()):
        self.special_tokens = special_tokens
        lengths = [
            1 if piece.kind == UNKNOWN else len(piece.text.lstrip(WORD_START))
            for piece in pieces
        ]
        self.lengths = tf.constant(lengths, tf.int32)
        known = {p.text for p in pieces if len(p.text) == 1} - {WORD_START}
        replaced = {c: c for c in known | {_SPACE}}
        replaced |= single_replacements(charsmap)
        self.knows_quote = QUOTE in known
        # Each table drops one of the marks.
        self.no_marks = [
            _normalizer({mark: ""})
            for mark in QUOTING
            if has_key(charsmap, 2 * mark)
        ]
        # Replace each mark by a different number of bytes.
        self.marks = _normalizer(
            {m: "x" * n for n, m in enumerate(MARKS, _FIRST_MARK)}
        )
        # Replace each kept character by a byte, and drop the others.
        self.all, self.not_known, self.unknown = (
            _normalizer(
                {c: "x" * len([*filter(keep, v)]) for c, v in replaced.items()}
            )
            for keep in (
                lambda c: True,
                lambda c: c not in known,
                lambda c: c not in known and c != _SPACE,
            )
        )

    def __call__(self, pieces, texts):
        starts, ends, splits = self._units(texts)
        lengths = tf.gather(self.lengths, pieces.flat_values)
        before = tf.cumsum(tf.concat([[0], lengths], 0))
        row = tf.cast(pieces.value_rowids(), tf.int32)
        row_start = tf.gather(before, tf.gather(pieces.row_splits, row))
        first = before[:-1] - row_start + tf.gather(splits, row)
        last = first + tf.maximum(lengths, 1) - 1
        end = tf.size(starts) - 1
        return (
            tf.gather(starts, tf.minimum(first, end)),
            tf.gather(ends, tf.minimum(last, end)),
        )

    def _units(self, texts):
        """Return unit starts, unit ends and the first unit of each row."""
        _, places = self.all.normalize_with_offsets(texts)
        row = tf.cast(places.value_rowids(), tf.int32)
        places, splits = places.flat_values, places.row_splits
        # The last position of a row is the end of its text.
        sizes = tf.gather(places, splits[1:] - 1)
        is_end = tf.equal(places, tf.gather(sizes, row))
        begins = tf.cumsum(sizes + 1, exclusive=True)
        index = places + tf.gather(begins, row)
        known = ~tf.gather(_flags(self.not_known, texts, begins), index)
        unknown = tf.gather(_flags(self.unknown, texts, begins), index)
        if self.special_tokens:
            marks = _counts(self.marks, texts, begins) - _FIRST_MARK
            is_special = in_special_tokens(
                tf.gather(marks, index), self.special_tokens
            )
            known |= is_special
            unknown &= ~is_special
        second = tf.zeros_like(is_end)
        for no_mark in self.no_marks:
            is_mark = tf.gather(_flags(no_mark, texts, begins), index)
            is_pair, is_second = _find_pairs(~(is_mark | is_end), places)
            known = tf.where(is_pair, self.knows_quote, known)
            unknown = tf.where(is_pair, not self.knows_quote, unknown)
            second |= is_second
        unknown &= ~is_end
        follows = tf.concat([[False], unknown[:-1]], 0)
        is_new = ~((follows[: tf.size(unknown)] & unknown) | second)
        is_unit = (known | unknown) & ~is_end
        counts = tf.math.unsorted_segment_sum(
            tf.cast(is_unit & is_new, tf.int32), row, tf.size(sizes)
        )
        starts = tf.boolean_mask(places, is_new)
        # Units of one character end where the next character begins.
        begins = tf.concat([[True], tf.not_equal(starts[1:], starts[:-1])], 0)
        begins = begins[: tf.size(starts)]
        nexts = tf.concat([[0], tf.boolean_mask(starts, begins), [0]], 0)
        ends = tf.gather(nexts, tf.cumsum(tf.cast(begins, tf.int32)) + 1)
        ends = tf.maximum(ends, starts + 1)
        is_unit = tf.boolean_mask(is_unit, is_new)
        return (
            tf.concat([tf.boolean_mask(starts, is_unit), [0]], 0),
            tf.concat([tf.boolean_mask(ends, is_unit), [1]], 0),
            tf.cumsum(counts, exclusive=True),
        )


def _flags(normalizer, texts, begins):
    """Return a mask of the bytes that a table keeps, see `_counts`."""
    return _counts(normalizer, texts, begins) > 0


def _counts(normalizer, texts, begins):
    """Count the bytes that replace each byte, with an item per text end."""
    _, places = normalizer.normalize_with_offsets(texts)
    index = places.flat_values + tf.gather(begins, places.value_rowids())
    size = tf.reduce_max(tf.concat([index, [-1]], 0)) + 1
    ones = tf.ones_like(index, tf.int32)
    return tf.scatter_nd(index[:, tf.newaxis], ones, size[tf.newaxis])


def _normalizer(replacements):
    changed = {c: text for c, text in replacements.items() if text != c}
    return normalizer_op(build_table(changed))


def _find_pairs(is_mark, places):
    """Return masks of the marks in adjacent pairs and of their second marks."""
    number = tf.range(tf.size(places))
    after = tf.concat([[-1], places[:-1] + 1], 0)[: tf.size(places)]
    follows = tf.concat([[False], is_mark[:-1]], 0)[: tf.size(places)]
    begins = is_mark & ~(follows & tf.equal(places, after))
    firsts = tf.concat([[0], tf.boolean_mask(number, begins)], 0)
    first = tf.gather(firsts, tf.cumsum(tf.cast(begins, tf.int32)))
    second = is_mark & tf.equal((number - first) % 2, 1)
    before = tf.concat([second[1:], [False]], 0)[: tf.size(places)]
    return before | second, second
