"""The table that the op `FastBertNormalize` runs, from replacements."""

import struct

from keras_bert.text.normalization import double_array

# Layout of a value: a flag, the place in the pool, the length in bytes.
_IS_REPLACED = 1 << 30
_LENGTH_BITS = 6
_NUM_CODE_POINTS = 0x110000
_SURROGATES = range(0xD800, 0xE000)


def build_table(
    replacements: dict[str, str],
    drops_nul: bool = False,
    strip_accents: bool = False,
) -> bytes:
    """Builds a table; ill-formed UTF-8 is dropped.

    Args:
        replacements: dict from a character, not U+0000, to what takes its
            place: under 64 bytes, or nothing. The others stay as they are.
        drops_nul: bool, U+0000 is dropped.
        strip_accents: bool, what the table says of itself; nothing depends
            on it.

    Returns:
        Bytes, for `tensorflow_text.FastBertNormalizer` as `model_buffer`.
    """
    encoded = dict.fromkeys(_ill_formed_sequences(), b"")
    for character, text in replacements.items():
        encoded[character.encode()] = text.encode()
    pool, places = _pool(set(encoded.values()))
    values = {key: places[text] for key, text in encoded.items()}
    units = double_array.build_double_array(values)
    zero_value = places[b""] if drops_nul else 0
    return _flatbuffer(strip_accents, units, zero_value, pool)


def _ill_formed_sequences():
    """Yields what the op takes for one character though it is none.

    The op advances by maximal subparts of ill-formed UTF-8, as Python's
    decoder does. Google's tokeniser decodes with `errors="ignore"`: each is
    dropped.
    """
    prefixes = set()
    for code_point in range(0x800, _NUM_CODE_POINTS, 64):
        if code_point not in _SURROGATES:
            sequence = chr(code_point).encode()
            prefixes.update(sequence[:n] for n in range(2, len(sequence)))
    yield from (bytes([byte]) for byte in range(0x80, 0x100))
    yield from sorted(prefixes)


def _pool(texts):
    """Joins the texts, and gives each its encoded place and length."""
    pool = b""
    places = {}
    for text in sorted(texts, key=lambda text: (-len(text), text)):
        if len(text) >= 1 << _LENGTH_BITS:
            raise ValueError(
                f"A replacement must be under {1 << _LENGTH_BITS} bytes. "
                f"Received: {text!r}."
            )
        start = pool.find(text)
        if start < 0:
            start = len(pool)
            pool += text
        places[text] = _IS_REPLACED | start << _LENGTH_BITS | len(text)
    return pool, places


def _flatbuffer(strip_accents, units, zero_value, pool):
    """Writes the op's FastBertNormalizerModel, a table of four fields."""
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
