"""Tokenizer that runs without TensorFlow."""

import collections.abc
import dataclasses
import json
import typing

import numpy as np

from keras_bert import lazy
from keras_bert.messages import brief
from keras_bert.summary import Summarized
from keras_bert.summary import tokenizer_facts
from keras_bert.text import arrays
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer
from keras_bert.typing import Texts

# Units are cached, because most of them occur often. Long units do not.
_MAX_UNITS, _MAX_CACHED_LENGTH = 1 << 18, 64


class HostTokenizer(Summarized):
    """Tokenizer that runs without TensorFlow, with the package `tokenizers`.

    It returns the same ids and offsets as the tokenizers that run in the graph.
    `keras_bert.text.BertTokenizer` and the other tokenizer names create a
    `HostTokenizer` if TensorFlow or tensorflow-text is not installed.

    A text is split into units, such as words with the space before them, which
    are tokenized independently of each other. The settings define the units:
    `settings.units()` returns an object with these members:

        pattern: compiled regular expression. Its matches are the units; they
            cover the whole text.
        split_at_tokens(text): split a text at special and added tokens.
            Returns an iterable of segments: str, still to be tokenized, and
            `UnitTokens`, matched tokens.
        encode(unit): return the `UnitTokens` tokens of a unit.
        ignores_spaces: bool, whether spaces only separate units, so that the
            words between spaces can be tokenized separately. Optional.

    Args:
        settings: settings of a tokenizer.

    Attributes:
        settings: the argument.
        vocabulary: the vocabulary of the settings.
        kind: str, a key of `KINDS`.

    Call arguments:
        texts: list of str or bytes (UTF-8), or a single str.

    Returns:
        A list of int32 arrays `(num_tokens,)`; for a single str, an array.
    """

    _arrays, _facts = arrays, tokenizer_facts

    def __init__(self, settings: FileDefinedTokenizer) -> None:
        self.settings, self.kind = settings, settings.kind
        self.vocabulary = settings.vocabulary
        self._units = settings.units()
        self._encoded = _Memo(lambda unit: _in_bytes(self._units.encode(unit)))
        self._words = _Memo(self._encode_word)
        self._ignores_spaces = getattr(self._units, "ignores_spaces", False)

    def __call__(self, texts: Texts) -> list[np.ndarray] | np.ndarray:
        return _for_each(
            lambda text: _array([x[0] for x in self._encode(text)]), texts
        )

    def tokenize_with_offsets(
        self, texts: Texts
    ) -> tuple[list[np.ndarray] | np.ndarray, ...]:
        """Tokenize texts and return the byte offsets of the tokens.

        Args:
            texts: list of str or bytes (UTF-8), or a single str.

        Returns:
            Three lists of int32 arrays `(num_tokens,)`: the ids, and the start
            and end of each token as byte offsets into the UTF-8 text. For a
            single text, three arrays.
        """
        located = _for_each(self._locate, texts)
        if isinstance(located, tuple):
            return located
        return tuple([row[n] for row in located] for n in range(3))

    def flat_ids(self, texts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
        """Tokenize many texts fast, with a cache of words.

        Args:
            texts: list of bytes (UTF-8).

        Returns:
            The ids of all texts, int32 `(num_tokens,)`, and the number of
            tokens of each text, int64 `(num_texts,)`.
        """
        if self._ignores_spaces:
            words = (text.split(b" ") for text in texts)
        else:
            words = ([text] for text in texts)
        rows = [b"".join(map(self._words.__getitem__, x)) for x in words]
        sizes = np.array([*map(len, rows)], np.int64)
        return _array(rows), sizes // np.dtype(np.int32).itemsize

    def _encode_word(self, word):
        return b"".join([x[0] for x in self._encode(_decoded(word))])

    def detokenize(self, ids: collections.abc.Iterable[int]) -> str:
        """Decode ids to a text.

        Args:
            ids: ids of tokens.
        """
        return self.vocabulary.decode(ids)

    def with_special_tokens(self) -> "HostTokenizer":
        """Return a copy of the tokenizer with `special_tokens_in_text=True`."""
        return HostTokenizer(
            dataclasses.replace(self.settings, special_tokens_in_text=True)
        )

    def _encode(self, text):
        units, find = [], self._units.pattern.findall
        for segment in self._units.split_at_tokens(text):
            if isinstance(segment, str):
                units += map(self._encoded.__getitem__, find(segment))
            else:
                units.append(_in_bytes(segment))
        return units

    def _locate(self, text):
        nothing = b"", b"", b"", 0
        units = [*self._encode(text), nothing]
        ids, starts, ends, sizes = zip(*units, strict=True)
        counts = [len(x) // np.dtype(np.int32).itemsize for x in ids]
        bases = np.cumsum(sizes) - sizes
        bases = np.repeat(bases.astype(np.int32), counts)
        return _array(ids), _array(starts) + bases, _array(ends) + bases


class UnitTokens(typing.NamedTuple):
    """Tokens of a unit, or of a segment with a matched token.

    Args:
        ids: list of int.
        starts, ends: list of int, byte offsets into the unit or segment.
        size: int, number of bytes of the unit or segment.
    """

    ids: list
    starts: list
    ends: list
    size: int


def size_of(text):
    """Return the number of bytes of a text that `HostTokenizer` decoded."""
    return len(text.encode("utf-8", "surrogateescape"))


def word_model(model):
    """Create a model of `tokenizers`, which splits a word into tokens.

    Args:
        model: dict, the model of a `tokenizer.json`.
    """
    tokenizers = lazy.import_package("tokenizers", "A tokenizer on the host")
    content = json.dumps({"version": "1.0", "model": model})
    return tokenizers.Tokenizer.from_str(content).model


class _Memo(dict):
    def __init__(self, compute):
        super().__init__()
        self._compute = compute

    def __missing__(self, unit):
        value = self._compute(unit)
        if len(unit) <= _MAX_CACHED_LENGTH:
            if len(self) >= _MAX_UNITS:
                self.clear()
            self[unit] = value
        return value


def _in_bytes(encoded):
    """Convert the lists to bytes, which are joined faster than arrays."""
    *lists, size = encoded
    return *(np.array(x, np.int32).tobytes() for x in lists), size


def _array(buffers):
    return np.frombuffer(bytearray().join(buffers), np.int32)


def _for_each(function, texts):
    if isinstance(texts, np.ndarray):
        texts = texts.tolist()
    if isinstance(texts, str | bytes):
        return function(_decoded(texts))
    if not isinstance(texts, collections.abc.Iterable):
        texts = [texts]  # An error.
    return [function(_decoded(text)) for text in texts]


def _decoded(text):
    if isinstance(text, bytes):
        return text.decode("utf-8", "surrogateescape")
    if not isinstance(text, str):
        raise TypeError(
            f"`texts` must be str or bytes. Received: {brief(text)}."
        )
    return text
