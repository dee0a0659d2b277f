"""Replacement tables for `FastBertNormalize` and SentencePiece.

`FastBertNormalize` replaces single characters. A SentencePiece model has a
double-array trie over UTF-8 in the format of darts-clone. Its values are
positions in a pool of texts that end with U+0000.
"""

import functools
import struct
import unicodedata

import numpy as np

from keras_bert.messages import brief
from keras_bert.text.normalization.double_array import build_double_array

# Layout of a value: a flag, the position in the pool, the length in bytes.
_IS_REPLACED = 1 << 30
_LENGTH_BITS = 6
_NUM_CODE_POINTS = 0x110000
# Positions in `_flatbuffer`.
_ZERO_VALUE, _TRIE = 24, 36
_SURROGATES = range(0xD800, 0xE000)


def build_table(
    replacements: dict[str, str],
    drops_nul: bool = False,
    strip_accents: bool = False,
) -> bytes:
    """Build a table for `FastBertNormalize` that also drops ill-formed UTF-8.

    Args:
        replacements: dict mapping characters, except U+0000, to replacements of
            less than 64 bytes, or "". Other characters do not change.
        drops_nul: whether to drop U+0000.
        strip_accents: flag to store in the table. It has no effect.

    Returns:
        Bytes to pass to `tensorflow_text.FastBertNormalizer` as `model_buffer`.
    """
    encoded = dict.fromkeys(_ill_formed_sequences(), b"")
    for character, text in replacements.items():
        encoded[character.encode()] = text.encode()
    pool, value_of = _pool(set(encoded.values()))
    values = {key: value_of[text] for key, text in encoded.items()}
    units = build_double_array(values)
    zero_value = value_of[b""] if drops_nul else 0
    return _flatbuffer(strip_accents, units, zero_value, pool)


def _ill_formed_sequences():
    """Yield ill-formed byte sequences that the op reads as one character.

    Like Python's decoder, the op advances by maximal subparts of ill-formed
    UTF-8. They are dropped, because Google's tokenizer decodes with
    `errors="ignore"`.
    """
    prefixes = set()
    for code_point in range(0x800, _NUM_CODE_POINTS, 64):
        if code_point not in _SURROGATES:
            sequence = chr(code_point).encode()
            prefixes.update(sequence[:n] for n in range(2, len(sequence)))
    yield from (bytes([byte]) for byte in range(0x80, 0x100))
    yield from sorted(prefixes)


def _pool(texts):
    """Join texts into a pool; return it and the table value of each text."""
    pool = b""
    value_of = {}
    for text in sorted(texts, key=lambda text: (-len(text), text)):
        if len(text) >= 1 << _LENGTH_BITS:
            raise ValueError(
                f"A replacement must be shorter than {1 << _LENGTH_BITS} "
                f"bytes. Received: {brief(text)}."
            )
        start = pool.find(text)
        if start < 0:
            start = len(pool)
            pool += text
        value_of[text] = _IS_REPLACED | start << _LENGTH_BITS | len(text)
    return pool, value_of


def _flatbuffer(strip_accents, units, zero_value, pool):
    """Serialize the op's FastBertNormalizerModel, a table of four fields."""
    vtable = struct.pack("<6H", 12, 20, 16, 4, 8, 12)
    trie = struct.pack(f"<I{len(units)}I", len(units), *units)
    strings = struct.pack("<I", len(pool)) + pool
    table = struct.pack(
        "<iIiI?3x",
        len(vtable),  # back to the vtable
        16,  # from this field to the trie
        zero_value,
        8 + len(trie),  # from this field to the strings
        strip_accents,
    )
    root = struct.pack("<I", 4 + len(vtable))
    return root + vtable + table + trie + strings + bytes(-len(strings) % 4)


class CharacterTable(dict):
    """Dict mapping code points to their replacements, for `str.translate`.

    Bytes that are not UTF-8, as decoded by Python's "surrogateescape", are
    dropped.

    Args:
        table: bytes, returned by `build_table`.
    """

    def __init__(self, table):
        super().__init__()
        self._zero_value, trie = struct.unpack_from("<iI", table, _ZERO_VALUE)
        trie += _ZERO_VALUE + 4  # The start of the strings.
        size = struct.unpack_from("<I", table, _TRIE)[0]
        self._units = struct.unpack_from(f"<{size}I", table, _TRIE + 4)
        self._pool = table[trie + 4 :]

    def __missing__(self, code_point):
        character = chr(code_point)
        value = self._zero_value
        if code_point:
            key = character.encode("utf-8", "ignore")
            value = _value(self._units, key) if key else _IS_REPLACED
        if value & _IS_REPLACED:
            start = (value ^ _IS_REPLACED) >> _LENGTH_BITS
            end = start + value % (1 << _LENGTH_BITS)
            character = self._pool[start:end].decode()
        return self.setdefault(code_point, character)


_HAS_VALUE = 1 << 8
_LABEL = 1 << 31 | 0xFF
_VALUE = (1 << 31) - 1
_LEADING = (*range(1, 0x80), *range(0xC2, 0xF5))
_FOLLOWING = (*range(0x80, 0xC0),)


def build_charsmap(replacements):
    """Build a replacement table for SentencePiece.

    Args:
        replacements: dict mapping texts, without U+0000, to replacements. The
            longest match is replaced.

    Returns:
        Bytes of the table.
    """
    pool, starts = b"", {}
    for text in sorted({*replacements.values()}):
        starts[text] = len(pool)
        pool += text.encode() + b"\0"
    units = build_double_array(
        {key.encode(): starts[text] for key, text in replacements.items()}
    )
    return struct.pack(f"<{1 + len(units)}I", 4 * len(units), *units) + pool


def has_key(charsmap, text):
    """Return True if the text is a key of the replacement table."""
    if not charsmap:
        return False
    units, _ = _units_and_pool(charsmap)
    return _value(units, text.encode(), -1) >= 0


def _value(units, key, default=0):
    """Return the value of a key (bytes) in a double array."""
    index = 0
    for byte in key:
        index ^= _offset(units[index]) ^ byte
        if index >= len(units) or units[index] & _LABEL != byte:
            return default
    if units[index] & _HAS_VALUE:
        return units[index ^ _offset(units[index])] & _VALUE
    return default


class LongestMatch:
    """Callable that finds the longest key at a position of a text.

    Args:
        charsmap: bytes of the table; may be empty.

    Call arguments:
        text: str.
        start: int, index of a character.

    Returns:
        The index after the key, and the key's replacement. If no key matches,
        the index after the character, and the character.
    """

    def __init__(self, charsmap):
        self._units, self._pool = (
            _units_and_pool(charsmap) if charsmap else ((), b"")
        )

    def __call__(self, text, start):
        match, index, units = (start + 1, text[start]), 0, self._units
        for end in range(start, len(text) if units else start):
            for byte in text[end].encode():
                index ^= _offset(units[index]) ^ byte
                is_inside = byte and index < len(units)
                if not is_inside or units[index] & _LABEL != byte:
                    return match
            if units[index] & _HAS_VALUE:
                first = units[index ^ _offset(units[index])] & _VALUE
                replaced = self._pool[first : self._pool.index(0, first)]
                match = end + 1, replaced.decode()
        return match


def single_replacements(charsmap):
    """Read the replacements of single characters from a table.

    Args:
        charsmap: bytes of the table; may be empty.

    Returns:
        A dict mapping texts to their replacements.
    """
    pairs = replacements(charsmap).items()
    return {key: text for key, text in pairs if len(key) == 1}


@functools.lru_cache(maxsize=4)  # Computing a table takes seconds.
def replacements(charsmap):
    """Read the replacements whose keys have no combining characters.

    Args:
        charsmap: bytes of the table; may be empty.

    Returns:
        A dict mapping texts to their replacements.

    Raises:
        ValueError: the bytes are not a valid table.
    """
    if not charsmap:
        return {}
    try:
        units, pool = _units_and_pool(charsmap)
        return {
            key.decode(): pool[start : pool.index(0, start)].decode()
            for key, start in _keys(units)
        }
    except (IndexError, ValueError, struct.error) as error:
        raise ValueError(
            "The normalization table of the SentencePiece model is damaged: "
            f"{error}."
        ) from None


def check_charsmap(charsmap):
    """Raise ValueError if the op would read outside of a table.

    Args:
        charsmap: bytes of the table; may be empty.
    """
    if not charsmap:
        return
    try:
        units, pool = _units_and_pool(charsmap)
    except struct.error as error:
        raise ValueError(f"damaged normalization table: {error}") from None
    units = np.array(units, np.int64)
    is_value = units >> 31 > 0
    children = np.arange(len(units)) ^ _offset(units)
    is_outside = (children | 0xFF) >= len(units)
    is_outside = np.where(is_value, units & _VALUE >= len(pool), is_outside)
    if is_outside.any() or not pool.endswith(b"\0"):
        raise ValueError("damaged normalization table")


def _units_and_pool(charsmap):
    (size,) = struct.unpack_from("<I", charsmap)
    units = struct.unpack_from(f"<{size // 4}I", charsmap, 4)
    return units, charsmap[4 + size :]


def _keys(units):
    """Yield (key, value) pairs."""
    nodes = [(0, b"", b"")]
    while nodes:
        index, key, character = nodes.pop()
        base = index ^ _offset(units[index])
        if character and len(character) == _num_bytes(character[0]):
            if key and unicodedata.combining(character.decode()):
                continue
            key, character = key + character, b""
            if units[index] & _HAS_VALUE:
                yield key, units[base] & _VALUE
        for byte in _FOLLOWING if character else _LEADING:
            child = base ^ byte
            if child < len(units) and units[child] & _LABEL == byte:
                nodes.append((child, key, character + bytes([byte])))


def _offset(unit):
    return (unit >> 10) << ((unit & 1 << 9) >> 6)


def _num_bytes(leading):
    return 1 + (leading >= 0xC2) + (leading >= 0xE0) + (leading >= 0xF0)
