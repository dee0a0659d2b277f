"""Replacements of characters by a SentencePiece model.

Its table is a double-array trie over UTF-8, in the format of darts-clone,
whose values are places in a pool of texts that end in U+0000.
"""

import struct
import unicodedata

import numpy as np

from keras_bert.text.normalization.double_array import build_double_array

_HAS_VALUE = 1 << 8
_LABEL = 1 << 31 | 0xFF
_VALUE = (1 << 31) - 1
_LEADING = (*range(1, 0x80), *range(0xC2, 0xF5))
_FOLLOWING = (*range(0x80, 0xC0),)
# More than any table of SentencePiece has.
_MAX_DEPTH, _MAX_KEYS = 64, 10_000_000


def build_charsmap(replacements):
    """Builds a table.

    Args:
        replacements: dict from texts, without U+0000, to what takes their
            place; of those that begin alike the longest is found.

    Returns:
        Bytes.
    """
    pool, places = b"", {}
    for text in sorted({*replacements.values()}):
        places[text] = len(pool)
        pool += text.encode() + b"\0"
    units = build_double_array(
        {key.encode(): places[text] for key, text in replacements.items()}
    )
    return struct.pack(f"<{1 + len(units)}I", 4 * len(units), *units) + pool


def has_key(charsmap, text):
    """Tell if a sound table replaces a text."""
    if not charsmap:
        return False
    units, _ = _parts(charsmap)
    index = 0
    for byte in text.encode():
        index ^= _offset(units[index]) ^ byte
        if index >= len(units) or units[index] & _LABEL != byte:
            return False
    return bool(units[index] & _HAS_VALUE)


def single_replacements(charsmap):
    """Reads the replacements of single characters; there are others.

    Args:
        charsmap: bytes of the table; may be empty.

    Returns:
        A dict of str.
    """
    found = replacements(charsmap).items()
    return {key: text for key, text in found if len(key) == 1}


def replacements(charsmap):
    """Reads the replacements of texts without combining characters.

    Args:
        charsmap: bytes of the table; may be empty.

    Returns:
        A dict of str.

    Raises:
        ValueError: the bytes are no such table.
    """
    if not charsmap:
        return {}
    try:
        units, pool = _parts(charsmap)
        return {
            key.decode(): pool[place : pool.index(0, place)].decode()
            for key, place in _keys(units)
        }
    except (IndexError, ValueError, struct.error) as error:
        raise ValueError(
            "The normalizer of a SentencePiece model must be a table as its "
            f"trainer writes it. Received: {error}."
        ) from None


def check_charsmap(charsmap):
    """Raises ValueError if a table would lead the graph's op astray.

    Args:
        charsmap: bytes of the table; may be empty.
    """
    if not charsmap:
        return
    try:
        units, pool = _parts(charsmap)
        _walk(np.array(units, np.int64), pool)
    except (IndexError, ValueError, struct.error) as error:
        raise ValueError(f"a broken table of replacements: {error}") from None


def _parts(charsmap):
    (size,) = struct.unpack_from("<I", charsmap)
    units = struct.unpack_from(f"<{size // 4}I", charsmap, 4)
    return units, charsmap[4 + size :]


def _walk(units, pool):
    """Looks at every node, level by level, with how many keys lead to it."""
    if not pool.endswith(b"\0"):
        raise ValueError("its texts do not end")
    labels = np.arange(1, 256)
    nodes, keys, total = np.array([0]), np.array([1]), 0
    for _ in range(_MAX_DEPTH):
        bases = nodes ^ _offset(units[nodes])
        if np.any(bases | 0xFF >= len(units)):
            raise ValueError("a node leads outside")
        has_value = units[nodes] & _HAS_VALUE > 0
        values = units[bases[has_value]]
        if np.any(values >> 31 == 0) or np.any(values & _VALUE >= len(pool)):
            raise ValueError("a key has no text")
        children = bases[:, np.newaxis] ^ labels
        is_child = units[children] & _LABEL == labels
        nodes, places = np.unique(children[is_child], return_inverse=True)
        number = np.repeat(keys, is_child.sum(axis=1))
        keys = np.bincount(places, number, len(nodes)).astype(np.int64)
        total += keys.sum()
        if total > _MAX_KEYS:
            raise ValueError("it has too many keys")
        if not len(nodes):
            return
    raise ValueError("its keys do not end")


def _keys(units):
    """Yields the keys with their values."""
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
