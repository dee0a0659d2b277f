"""Byte offsets of SentencePiece pieces, which the op does not return.

A text is split into units: each known character is a unit, and each run of
unknown characters is a unit, because it is a single piece. A piece covers as
many units as it has characters, so the spans of the units are sufficient. They
are computed by `FastBertNormalize` ops, which keep some of the characters and
return their offsets. The table of the op also replaces sequences: pairs of
quotation marks, and the elements of composed characters. They are a unit, too.
"""

import tensorflow as tf

from keras_bert.text.normalization.normalizers import QUOTE
from keras_bert.text.normalization.normalizers import QUOTING
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.normalization.replacements import has_key
from keras_bert.text.normalization.replacements import single_replacements
from keras_bert.text.sentencepiece.character_codes import CharacterCodes
from keras_bert.text.sentencepiece.character_codes import count_bytes
from keras_bert.text.sentencepiece.character_codes import replacing
from keras_bert.text.sentencepiece.composed_characters import ComposedCharacters
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.special_tokens import MARKS
from keras_bert.text.sentencepiece.special_tokens import in_special_tokens

_SPACE = " "
# Numbers of bytes that replace known and unknown characters and spaces. From
# `_FIRST_CODE` on, they are codes of characters.
_KNOWN, _UNKNOWN, _SPACED, _FIRST_CODE = range(4)


class PieceSpans:
    """Callable that computes piece spans in normalized texts.

    Args:
        pieces: list of `Piece`, the pieces of the op.
        charsmap: bytes, the replacement table of the op. Of its keys with
            several characters, only pairs of quotation marks and canonical
            compositions are used here.
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
            1 if piece.type == UNKNOWN else len(piece.text.lstrip(WORD_START))
            for piece in pieces
        ]
        self.lengths = tf.constant(lengths, tf.int32)  # In units, by piece.
        known = {p.text for p in pieces if len(p.text) == 1} - {WORD_START}
        self.composed = ComposedCharacters(charsmap, known)
        listed = known | {_SPACE, *self.composed.elements}
        replaced = {c: c for c in listed} | single_replacements(charsmap)
        self.knows_quote = QUOTE in known
        self.quoting = [m for m in QUOTING if has_key(charsmap, 2 * m)]
        self.marks = CharacterCodes(MARKS)
        # Replace each character by as many bytes as characters replace it.
        self.all = replacing({c: "x" * len(v) for c, v in replaced.items()})
        # A space is in no piece, so it is not a unit.
        unknown = {c: {*text} - known for c, text in replaced.items()}
        status = {
            c: _UNKNOWN if new - {_SPACE} else _SPACED if new else _KNOWN
            for c, new in unknown.items()
        }
        coded = self.quoting + self.composed.seconds
        # The status of each number of bytes.
        own = [status.get(c, _UNKNOWN) for c in coded]
        self.status = tf.constant([_KNOWN, _UNKNOWN, _SPACED, *own])
        status |= {c: n for n, c in enumerate(coded, _FIRST_CODE)}
        self.codes = replacing({c: "x" * n for c, n in status.items()})

    def __call__(self, pieces, texts):
        starts, ends, splits = self._units(texts)  # [num_units + 1], [B + 1]
        lengths = tf.gather(self.lengths, pieces.flat_values)
        # Number of units before each piece, [num_pieces + 1].
        before = tf.cumsum(tf.concat([[0], lengths], 0))
        row = tf.cast(pieces.value_rowids(), tf.int32)
        row_start = tf.gather(before, tf.gather(pieces.row_splits, row))
        row_first = tf.gather(splits, row)
        first = before[:-1] - row_start + row_first  # [num_pieces]
        # A piece "▁" has no unit: it has the span of the next unit.
        last = first + tf.maximum(lengths, 1) - 1
        # Tables may replace other sequences; spans still stay in their text.
        row_last = tf.maximum(tf.gather(splits, row + 1) - 1, row_first)
        return (
            tf.gather(starts, tf.minimum(first, row_last)),
            tf.gather(ends, tf.minimum(last, row_last)),
        )

    def _units(self, texts):
        """Return unit starts, unit ends and row splits of the units."""
        _, offsets = self.all.normalize_with_offsets(texts)
        row = tf.cast(offsets.value_rowids(), tf.int32)
        # [C], an item for each normalized character and each end of a text.
        offsets, splits = offsets.flat_values, offsets.row_splits
        # The last position of a row is the end of its text.
        sizes = tf.gather(offsets, splits[1:] - 1)
        is_end = tf.equal(offsets, tf.gather(sizes, row))
        begins = tf.cumsum(sizes + 1, exclusive=True)  # [B]
        known, unknown, later = self._masks(texts, begins, row, offsets)
        # Unknown characters are adjacent only within a text.
        unknown &= ~is_end
        follows = tf.concat([[False], unknown[:-1]], 0)
        is_new = ~((follows[: tf.size(unknown)] & unknown) | later)
        is_unit = (known | unknown) & ~is_end
        counts = tf.math.unsorted_segment_sum(
            tf.cast(is_unit & is_new, tf.int32), row, tf.size(sizes)
        )
        # Text ends are included, because the last unit of a text ends there.
        starts = tf.boolean_mask(offsets, is_new)
        # Units of one character end where the next character begins.
        begins = tf.concat([[True], tf.not_equal(starts[1:], starts[:-1])], 0)
        begins = begins[: tf.size(starts)]
        nexts = tf.concat([[0], tf.boolean_mask(starts, begins), [0]], 0)
        ends = tf.gather(nexts, tf.cumsum(tf.cast(begins, tf.int32)) + 1)
        ends = tf.maximum(ends, starts + 1)
        is_unit = tf.boolean_mask(is_unit, is_new)
        # The last texts may have no units; they read the last item.
        return (
            tf.concat([tf.boolean_mask(starts, is_unit), [0]], 0),
            tf.concat([tf.boolean_mask(ends, is_unit), [1]], 0),
            tf.concat([[0], tf.cumsum(counts)], 0),
        )

    def _masks(self, texts, begins, row, offsets):
        """Return masks of known, unknown and later characters of a unit."""
        index = offsets + tf.gather(begins, row)  # [C]
        codes = tf.gather(count_bytes(self.codes, texts, begins), index)
        status = tf.gather(self.status, codes)
        known = tf.equal(status, _KNOWN)
        unknown = tf.equal(status, _UNKNOWN)
        if self.special_tokens:
            is_special = in_special_tokens(
                tf.gather(self.marks(texts, begins), index), self.special_tokens
            )
            known |= is_special
            unknown &= ~is_special
        later = tf.zeros_like(known)
        for code, _ in enumerate(self.quoting, _FIRST_CODE):
            is_mark = tf.equal(codes, code)
            is_pair, is_second = _find_pairs(is_mark, offsets)
            known = tf.where(is_pair, self.knows_quote, known)
            unknown = tf.where(is_pair, not self.knows_quote, unknown)
            later |= is_second
        if not self.composed.seconds:
            return known, unknown, later
        # The codes of second characters follow the codes of quotation marks.
        seconds = codes - _FIRST_CODE - len(self.quoting)
        seconds = tf.maximum(seconds, -1)
        is_element, is_known, is_later = self.composed(
            texts, begins, index, seconds, offsets
        )
        known = tf.where(is_element, is_known, known)
        unknown = tf.where(is_element, ~is_known, unknown)
        return known, unknown, later | is_later


def _find_pairs(is_mark, offsets):
    """Return masks of the marks in adjacent pairs and of their second marks."""
    number = tf.range(tf.size(offsets))
    # A mark has one byte. Dropped characters between two marks separate them.
    after = tf.concat([[-1], offsets[:-1] + 1], 0)[: tf.size(offsets)]
    follows = tf.concat([[False], is_mark[:-1]], 0)[: tf.size(offsets)]
    begins = is_mark & ~(follows & tf.equal(offsets, after))
    # Index of the first mark of each run; item 0 is for characters before them.
    firsts = tf.concat([[0], tf.boolean_mask(number, begins)], 0)
    first = tf.gather(firsts, tf.cumsum(tf.cast(begins, tf.int32)))
    second = is_mark & tf.equal((number - first) % 2, 1)
    before = tf.concat([second[1:], [False]], 0)[: tf.size(offsets)]
    return before | second, second
