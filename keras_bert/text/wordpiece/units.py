"""Rules of WordPiece and GPT-1's BPE for tokenizers without TensorFlow.

A unit is a run of characters other than white space and ASCII punctuation, with
the white-space character before it. An ASCII punctuation character is a
separate unit, unless the next character may be a combining accent.
"""

import re

from keras_bert.text.host_tokenizer import UnitTokens
from keras_bert.text.host_tokenizer import size_of
from keras_bert.text.host_tokenizer import word_model
from keras_bert.text.normalization.code_points import regex_ranges
from keras_bert.text.normalization.replacements import CharacterTable

_SPACES, _PUNCTUATION = r" \t\n", r"!-/:-@\[-`{-~"
_ALONE = rf"[{_PUNCTUATION}](?=[ -~{_SPACES}]|\Z)"
_UNITS = re.compile(
    rf"[{_SPACES}]?(?:{_ALONE}"
    rf"|(?:[^{_SPACES}{_PUNCTUATION}]+|(?!{_ALONE})[{_PUNCTUATION}])+)"
    rf"|[{_SPACES}]"
)
# Each of these characters is a word, as in google-research/bert.
_CHINESE = (
    "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\uf900-\ufaff"
    "\U0002f800-\U0002fa1f"
)


class BertUnits:
    """Units of a `HostTokenizer` that normalizes and splits like BERT.

    Args:
        model: dict, the model of a `tokenizer.json`.
        table: bytes, returned by `normalizer_model`.
        ids: dict mapping the tokens to match in raw texts to their ids.
        normalized_ids: dict mapping the tokens to match in normalized texts to
            their ids.
    """

    pattern = _UNITS

    def __init__(self, model, table, ids, normalized_ids):
        self._model = word_model(model)
        self._table = CharacterTable(table)
        self._ids, self._normalized_ids = ids, normalized_ids
        self.ignores_spaces = not (ids or normalized_ids)
        self._tokens, self._normalized = map(any_of, (ids, normalized_ids))
        alone = regex_ranges("punctuation") + _CHINESE
        space = regex_ranges("space")
        self._words = re.compile(f"[^{space}{alone}]+|[{alone}]")

    def split_at_tokens(self, text):
        """Split a text at tokens, see `HostTokenizer`."""
        segments = self._tokens.split(text) if self._ids else [text]
        for number, segment in enumerate(segments):
            if number % 2:
                size = size_of(segment)
                yield UnitTokens([self._ids[segment]], [0], [size], size)
            elif self._normalized_ids:
                yield from self._split_at_normalized(segment)
            else:
                yield segment

    def _split_at_normalized(self, text):
        indices, done = None, 0
        for match in self._normalized.finditer(text.translate(self._table)):
            indices = indices or self._raw_indices(text)
            first, last = indices[match.start()], indices[match.end()]
            size = size_of(text[first:last])
            yield text[done:first]
            ids = [self._normalized_ids[match[0]]]
            yield UnitTokens(ids, [0], [size], size)
            done = last
        yield text[done:]

    def _raw_indices(self, text):
        """Return the index in the raw text of each normalized character."""
        indices = [n for n, c in enumerate(text) for _ in self._table[ord(c)]]
        return [*indices, len(text)]

    def encode(self, unit):
        """Tokenize a unit, see `HostTokenizer`."""
        normalized = unit.translate(self._table)
        firsts = lasts = range(len(unit) + 1)
        if not unit.isascii() or len(normalized) < len(unit):
            firsts, lasts = self._bounds(unit)
        ids, starts, ends = [], [], []
        for match in self._words.finditer(normalized):
            base = size_of(normalized[: match.start()])
            for token in self._model.tokenize(match[0]):
                first, last = token.offsets
                ids.append(token.id)
                starts.append(firsts[base + first])
                ends.append(lasts[base + last])
        return UnitTokens(ids, starts, ends, lasts[-1])

    def _bounds(self, unit):
        """Map byte offsets in the normalized unit to byte offsets in the unit.

        Returns:
            A list for the starts and a list for the ends of spans. A span ends
            where the next character that was not dropped begins.
        """
        firsts, size = [], 0
        for character in unit:
            replacement = self._table[ord(character)]
            firsts += [size] * len(replacement.encode())
            size += size_of(character)
        firsts.append(size)
        lasts = [size] * len(firsts)
        for offset in range(len(firsts) - 2, 0, -1):
            is_inside = firsts[offset] == firsts[offset - 1]
            lasts[offset] = lasts[offset + 1] if is_inside else firsts[offset]
        return firsts, lasts


def any_of(tokens):
    """Return a compiled pattern of tokens; the longest match has priority."""
    tokens = sorted(tokens, key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, tokens))})")
