"""Rules of SentencePiece for tokenizers without TensorFlow.

A unit is a run of characters other than spaces, with the spaces before it. No
piece crosses the bounds of a unit.
"""

import itertools
import re

from keras_bert.text.conventions import MODEL
from keras_bert.text.conventions import OTHER_SPACES
from keras_bert.text.host_tokenizer import UnitTokens
from keras_bert.text.host_tokenizer import size_of
from keras_bert.text.host_tokenizer import word_model
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.normalization.replacements import CharacterTable
from keras_bert.text.normalization.replacements import LongestMatch
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import USER_DEFINED
from keras_bert.text.sentencepiece.number_splits import number_splits
from keras_bert.text.sentencepiece.tokenizer_json import unigram_model
from keras_bert.text.wordpiece.units import any_of

_NUM_LAST = 8  # Characters to search for white space at the end of a text.
_NO_CHARACTER = "\ufffd"  # Replaces bytes that are not UTF-8.


class SentencePieceUnits:
    """Units of a `HostTokenizer` with SentencePiece.

    Args:
        settings: `SentencePieceSettings`.
    """

    pattern = re.compile(" *[^ ]+| +")

    def __init__(self, settings):
        vocabulary = settings.vocabulary
        charsmap = vocabulary.model.charsmap
        self._unk_id = vocabulary.unk_id
        self._mark_id = vocabulary.ids.get(WORD_START)
        self._follows_model = settings.normalizer == MODEL
        self._table = None
        if not self._follows_model:
            normalizer = NORMALIZERS[settings.normalizer]
            self._table = CharacterTable(normalizer.model(settings.lowercase))
            charsmap = normalizer.charsmap(charsmap)
        self._match = LongestMatch(charsmap)
        self._has_table = bool(charsmap)
        self._spaces = " " + OTHER_SPACES if charsmap else " "
        self._ids = settings.matched_token_ids
        self._tokens = any_of(self._ids)
        self._keeps_last_space = settings.keeps_last_space
        self._taking = {*settings.taking_tokens}
        self._model = word_model(_model(settings))
        self._splits = {}
        if not self._follows_model and normalizer.splits_numbers:
            splits = number_splits(vocabulary.tokens, self._pieces)
            self._splits = {
                piece: [(x, vocabulary.ids.get(x, self._unk_id)) for x in split]
                for piece, split in splits.items()
            }

    def split_at_tokens(self, text):
        """Split a text at special tokens, see `HostTokenizer`."""
        segments = self._tokens.split(text) if self._ids else [text]
        for segment, token in itertools.zip_longest(
            segments[::2], segments[1::2]
        ):
            yield segment
            if self._keeps_last_space and token not in self._taking:
                yield from self._last_space(segment)
            if token is not None:
                size = size_of(token)
                yield UnitTokens([self._ids[token]], [0], [size], size)

    def _last_space(self, text):
        """Return the tokens of the white space at the end of a text."""
        spans, size = self._replaced(text[-_NUM_LAST:])
        if not spans or spans[-1][0] not in self._spaces:
            return []
        _, first, last = spans[-1]
        return [UnitTokens([self._mark_id], [first - size], [last - size], 0)]

    def encode(self, unit):
        """Tokenize a unit, see `HostTokenizer`."""
        spans, size = self._spans(unit)
        text = "".join(character for character, _, _ in spans)
        bounds = [x[1:] for x in spans for _ in range(size_of(x[0]))]
        ids, starts, ends = [], [], []
        for token in self._model.tokenize(text):
            whole, (last, _) = [(token.value, token.id)], token.offsets
            for piece, index in self._splits.get(token.value, whole):
                first, last = last, last + size_of(piece)
                ids.append(index)
                starts.append(bounds[first][0])
                ends.append(bounds[last - 1][1])
        mark_id = None if self._follows_model else self._mark_id
        for n in range(len(ids) - 2, -1, -1):
            is_mark = ids[n] == mark_id and ids[n + 1] == self._unk_id
            if ends[n] <= starts[n] or is_mark:  # Use the next piece's span.
                starts[n], ends[n] = starts[n + 1], ends[n + 1]
        return UnitTokens(ids, starts, ends, size)

    def _pieces(self, words):
        return [
            [token.value for token in self._model.tokenize(WORD_START + word)]
            for word in words
        ]

    def _spans(self, unit):
        """Normalize a unit.

        Each word begins with "▁", which has the span of the next character or,
        with the normalizer of the model, an empty span.

        Returns:
            A list of (normalized character, start, end) with byte offsets into
            the unit, and the size of the unit in bytes.
        """
        replaced, size = self._replaced(unit)
        spans, after = [], size
        for n in range(len(replaced) - 1, -1, -1):
            character, first, last = replaced[n]
            if not self._follows_model:  # End at the next character.
                if n + 1 < len(replaced) and replaced[n + 1][1] > first:
                    after = replaced[n + 1][1]
                last = after
            spans.append((character, first, last))
        words, begins = [], True
        for character, first, last in reversed(spans):
            is_space = character in self._spaces
            if not is_space:
                if begins:
                    end = first if self._follows_model else last
                    words.append((WORD_START, first, end))
                words.append((character, first, last))
            begins = is_space
        return words, size

    def _replaced(self, unit):
        """Apply the tables and return values in the format of `_spans`."""
        characters, offsets, size = [], [], 0
        for character in unit:
            if self._table is not None:
                replaced = self._table[ord(character)]
            else:
                replaced = self._of_model(character)
            characters.append(replaced)
            offsets += [size] * len(replaced)
            size += size_of(character)
        text, offsets = "".join(characters), [*offsets, size]
        spans, index = [], 0
        while index < len(text):
            first, (index, replaced) = offsets[index], self._match(text, index)
            ends = [first] * len(replaced[:-1]) + [offsets[index]]
            spans += [
                (character, first, last)
                for character, last in zip(replaced, ends, strict=False)
            ]
        return spans, size

    def _of_model(self, character):
        """Return a character as the op reads it before it applies the table."""
        if "\udc80" <= character <= "\udcff":
            return _NO_CHARACTER if self._has_table else ""
        return character


def _model(settings):
    """Return the Unigram model for `tokenizers`, without special pieces."""
    vocabulary = settings.vocabulary
    hidden = {*vocabulary.roles.values()} | {
        piece.text
        for piece in vocabulary.model.pieces
        if piece.type not in (NORMAL, USER_DEFINED)
    }
    model = unigram_model(vocabulary)
    pieces = enumerate(model["vocab"])
    # Texts do not contain the names of hidden pieces.
    model["vocab"] = [
        [f"\ufdd0{n}\ufdd0" if text in hidden else text, score]
        for n, (text, score) in pieces
    ]
    return model
