"""What a SentencePiece model replaces single characters with.

Its table is a double-array trie over UTF-8, in the format of darts-clone,
whose values are places in a pool of texts that end in U+0000.
"""

import struct

_HAS_VALUE = 1 << 8
_LABEL = 1 << 31 | 0xFF
_VALUE = (1 << 31) - 1
_LEADING = (*range(1, 0x80), *range(0xC2, 0xF5))
_FOLLOWING = (*range(0x80, 0xC0),)


def single_replacements(charsmap):
    """Reads the replacements of single characters; there are others.

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
        (size,) = struct.unpack_from("<I", charsmap)
        units = struct.unpack_from(f"<{size // 4}I", charsmap, 4)
        pool = charsmap[4 + size :]
        return {
            key.decode(): pool[place : pool.index(0, place)].decode()
            for key, place in _characters(units)
        }
    except (IndexError, ValueError, struct.error) as error:
        raise ValueError(
            "The normalizer of a SentencePiece model must be a table as its "
            f"trainer writes it. Received: {error}."
        ) from None


def _characters(units):
    """Yields the keys of one character with their values."""
    nodes = [(0, b"")]
    while nodes:
        index, key = nodes.pop()
        base = index ^ _offset(units[index])
        if key and len(key) == _num_bytes(key[0]):
            if units[index] & _HAS_VALUE:
                yield key, units[base] & _VALUE
            continue
        for byte in _FOLLOWING if key else _LEADING:
            child = base ^ byte
            if child < len(units) and units[child] & _LABEL == byte:
                nodes.append((child, key + bytes([byte])))


def _offset(unit):
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def _num_bytes(leading):
    return 1 + (leading >= 0xC2) + (leading >= 0xE0) + (leading >= 0xF0)
