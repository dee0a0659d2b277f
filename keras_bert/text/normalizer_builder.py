"""Builds the normaliser tables that are shipped in `text/normalizers/`.

To write the files anew, from the repository root:

    python -c "from keras_bert.text import normalizer_builder as builder; \
        builder.write_normalizer_models('keras_bert/text/normalizers')"

The output is the same bytes on every supported Python.
"""

import pathlib
import struct

from keras_bert.text import double_array
from keras_bert.text import normalizer

# Layout of a value: a flag, the place in the pool, the length in bytes.
_IS_REPLACED = 1 << 30
_LENGTH_BITS = 6
_NUM_CODE_POINTS = 0x110000
_SURROGATES = range(0xD800, 0xE000)


def write_normalizer_models(directory: str) -> None:
    """Writes uncased.bin, lowercase.bin and cased.bin.

    Args:
        directory: an existing folder; files of these names are replaced.
    """
    for (lowercase, strip_accents), mode in normalizer.MODES.items():
        model = build_normalizer_model(lowercase, strip_accents)
        pathlib.Path(directory, f"{mode}.bin").write_bytes(model)


def build_normalizer_model(lowercase: bool, strip_accents: bool) -> bytes:
    """Builds one table from the rules of `normalize_code_point`.

    Args:
        lowercase: bool, as for `normalizer_model`.
        strip_accents: bool, as for `normalizer_model`.

    Returns:
        Bytes, the model as `normalizer_model` reads it.
    """
    replacements = dict.fromkeys(_ill_formed_sequences(), b"")
    for code_point in range(1, _NUM_CODE_POINTS):
        if code_point in _SURROGATES:
            continue
        text = normalizer.normalize_code_point(
            code_point, lowercase, strip_accents
        )
        if text != chr(code_point):
            replacements[chr(code_point).encode()] = text.encode()
    pool, places = _pool(set(replacements.values()))
    values = {key: places[text] for key, text in replacements.items()}
    units = double_array.build_double_array(values)
    return _flatbuffer(strip_accents, units, zero_value=places[b""], pool=pool)


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
