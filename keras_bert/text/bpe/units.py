"""Rules of byte-level BPE for tokenizers without TensorFlow.

A unit is a word of GPT-2's pattern. If texts are normalized to NFC, a unit is a
run of characters that are not white space, which is normalized and then split
into words, because characters compose across words of the pattern.
"""

import re
import unicodedata

from keras_bert import lazy
from keras_bert.text.bpe.byte_vocabulary import byte_characters
from keras_bert.text.bpe.byte_vocabulary import token_bytes
from keras_bert.text.host_tokenizer import UnitTokens
from keras_bert.text.host_tokenizer import size_of
from keras_bert.text.host_tokenizer import word_model
from keras_bert.text.normalization.code_points import regex_ranges

_SPACE, _LETTER, _NUMBER = map(regex_ranges, ("space", "letter", "number"))
_SPACES = rf"[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]+"
_WORDS = re.compile(
    rf"'(?:[stmd]|re|ve|ll)| ?[{_LETTER}]+| ?[{_NUMBER}]+"
    rf"| ?[^{_SPACE}{_LETTER}{_NUMBER}]+|{_SPACES}"
)
_RUNS = re.compile(rf" ?[^{_SPACE}]+|{_SPACES}")
# Bytes that are not UTF-8, as decoded by "surrogateescape".
_NO_TEXT = re.compile("([\udc80-\udcff]+)")


class BytePairUnits:
    """Units of a `HostTokenizer` with byte-level BPE.

    Args:
        settings: `BytePairSettings`.
    """

    def __init__(self, settings):
        vocabulary = settings.vocabulary
        unknown = {"unk_token": vocabulary.roles["unknown"]}
        self._model = word_model(settings.fast_components()["model"] | unknown)
        self._vocabulary = vocabulary
        self._adds_space = settings.add_prefix_space
        self._compose = _Composition() if settings.normalizer else None
        self.pattern = _RUNS if self._compose else _WORDS
        added = settings.added_tokens
        special = [t for t in added if t.is_special]
        special = special if settings.special_tokens_in_text else []
        others = [t for t in added if not t.is_special]
        self._steps = [_pattern_of(x) for x in (special, others) if x]

    def split_at_tokens(self, text):
        """Split a text at tokens, see `HostTokenizer`."""
        segments = [text]
        for pattern in self._steps:
            segments = [
                x for segment in segments for x in self._split(pattern, segment)
            ]
        for segment in segments:
            if isinstance(segment, str) and self._adds_space and segment:
                yield from self._with_space(segment)
            else:
                yield segment

    def _split(self, pattern, segment):
        if not isinstance(segment, str):
            return [segment]
        segments, done = [], 0
        for match in pattern.finditer(segment):
            start, end = match.span(match.lastindex)
            size = size_of(segment[match.start() : end])
            token = match[match.lastindex]
            first, last = _without_spaces(token_bytes(token), 0)
            base = size_of(segment[match.start() : start])
            ids = [self._vocabulary.id_of(token)]
            encoded = UnitTokens(ids, [base + first], [base + last], size)
            segments += [segment[done : match.start()], encoded]
            done = end
        return [*segments, segment[done:]]

    def _with_space(self, segment):
        """Yield the first unit, encoded with a leading space, and the rest."""
        if not segment.startswith(" "):
            first = self.pattern.match(f" {segment}")[0]
            ids, *spans, size = self.encode(first)
            starts, ends = ([max(x - 1, 0) for x in span] for span in spans)
            yield UnitTokens(ids, starts, ends, size - 1)
            segment = segment[len(first) - 1 :]
        yield segment

    def encode(self, unit):
        """Tokenize a unit, see `HostTokenizer`."""
        text, origins = unit, range(len(unit))
        if self._compose:
            text, origins = self._compose(unit)
        # Start and end in the unit of the character of each byte.
        sizes = [0]
        for character in unit:
            sizes.append(sizes[-1] + size_of(character))
        firsts, lasts = [], []
        for character, origin in zip(text, origins, strict=True):
            size = size_of(character)
            firsts += [sizes[origin]] * size
            lasts += [sizes[origin + 1]] * size
        firsts.append(sizes[-1])
        data = text.encode("utf-8", "surrogateescape")
        ids, starts, ends, offset = [], [], [], 0
        for word in _WORDS.findall(text):
            word = word.encode("utf-8", "surrogateescape")
            spelled = "".join(byte_characters()[byte] for byte in word)
            for token in self._model.tokenize(spelled):
                is_known = token.id != self._vocabulary.unk_id
                after = offset + (len(token.value) if is_known else 1)
                first, last = _without_spaces(data[offset:after], offset)
                ids.append(token.id)
                ends.append(lasts[last - 1])
                starts.append(min(firsts[first], ends[-1]))
                offset = after
        return UnitTokens(ids, starts, ends, sizes[-1])


def _pattern_of(tokens):
    """Return a compiled pattern of the added tokens.

    The first group has the tokens that keep the spaces before them, the second
    group those that take the spaces.
    """
    plain, taking = (
        "|".join(re.escape(text) for text in sorted(texts, key=len)[::-1])
        for texts in (
            [t.text for t in tokens if t.takes_space is takes_space]
            for takes_space in (False, True)
        )
    )
    groups = f"({plain})" * bool(plain), f"[{_SPACE}]*({taking})" * bool(taking)
    return re.compile("|".join(filter(None, groups)))


def _without_spaces(data, offset):
    """Return the start and end of bytes at an offset, without outer spaces."""
    first = offset + len(data) - len(data.lstrip(b" "))
    return first, max(first, offset + len(data.rstrip(b" ")))


class _Composition:
    """Callable that normalizes a text to NFC, like `tokenizers`.

    Returns:
        The normalized text, and for each of its characters the index of the
        first original character that it replaces.
    """

    def __init__(self):
        tokenizers = lazy.import_package(
            "tokenizers", "A tokenizer on the host"
        )
        model = tokenizers.models.BPE({"?": 0}, [], unk_token="?")
        self._tokenizer = tokenizers.Tokenizer(model)
        self._tokenizer.normalizer = tokenizers.normalizers.NFC()

    def __call__(self, text):
        if unicodedata.is_normalized("NFC", text):
            return text, range(len(text))
        texts, origins, size = [], [], 0
        for number, segment in enumerate(_NO_TEXT.split(text)):
            if number % 2:
                texts.append(segment)
                origins += range(size, size + len(segment))
            else:
                normalizer = self._tokenizer.normalizer
                texts.append(normalizer.normalize_str(segment))
                offsets = self._tokenizer.encode(segment).offsets
                origins += [size + start for start, _ in offsets]
            size += len(segment)
        return "".join(texts), origins
