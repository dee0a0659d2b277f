"""Unicode properties of code points: character kinds and punctuation.

Byte-level BPE needs the character kinds, and WordPiece the punctuation. The
ranges are the same as in `tokenizers` 0.23 and in tensorflow-text: White_Space
and the categories L, N and P of Unicode 16.0. They are read from a file, so
that they do not depend on the version of Python. As in google-research/bert,
all ASCII characters that are not letters, digits or spaces are punctuation.
"""

import functools
import pathlib

import numpy as np

# NONE marks bytes that are not text. OTHER includes bytes that are not UTF-8.
NONE, SPACE, LETTER, NUMBER, OTHER = range(5)

NUM_CODE_POINTS = 0x110000
_RANGES = pathlib.Path(__file__).with_name("tables") / "unicode_16.txt"
_NAMES = {"space": SPACE, "letter": LETTER, "number": NUMBER}


@functools.cache
def _ranges():
    """Return a dict mapping names to lists of inclusive ranges."""
    ranges = {}
    for line in _RANGES.read_text(encoding="ascii").splitlines():
        name, span = line.split(" ")
        first, last = (int(end, 16) for end in span.split("-"))
        ranges.setdefault(name, []).append((first, last))
    return ranges


@functools.cache
def code_point_kinds():
    """Return the character kind of each code point, uint8 `(1114112,)`."""
    kinds = np.full(NUM_CODE_POINTS, OTHER, np.uint8)
    for name, kind in _NAMES.items():
        for first, last in _ranges()[name]:
            kinds[first : last + 1] = kind
    return kinds


def regex_ranges(name):
    """Return the ranges of a property, to insert into a class of `re`.

    Args:
        name: "space", "letter", "number" or "punctuation".
    """
    return "".join(rf"\U{a:08x}-\U{b:08x}" for a, b in _ranges()[name])
