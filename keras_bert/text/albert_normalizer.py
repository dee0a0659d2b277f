"""What ALBERT makes of a text before SentencePiece sees it.

The rules are those of `preprocess_text` in google-research/albert: white
space becomes a space, characters are decomposed (NFKD), combining ones are
dropped, and an uncased model lower-cases. As in `normalizer`, a table of code
points holds them, pinned to Unicode 13.0.
"""

import functools
import importlib.resources
import unicodedata

from keras_bert.text.normalizer import is_assigned

# By `lowercase`.
MODES = {True: "albert_uncased", False: "albert_cased"}
# SentencePiece writes spaces so; in a text it is one.
WORD_START = "\u2581"
# Pairs of these marks are quotation marks.
QUOTING, QUOTE = ("`", "'"), '"'


def albert_normalizer_model(lowercase: bool) -> bytes:
    """Reads the table for `tensorflow_text.FastBertNormalizer`.

    Args:
        lowercase: bool, True for the uncased models.

    Returns:
        Bytes, for `model_buffer`.
    """
    folder = importlib.resources.files("keras_bert.text") / "normalizers"
    return (folder / f"{MODES[lowercase]}.bin").read_bytes()


def normalize_code_point(code_point: int, lowercase: bool) -> str:
    """Gives the characters that take the place of one code point.

    Args:
        code_point: int, from 0 to 0x10FFFF.
        lowercase: bool, lower-case.

    Returns:
        The replacement: empty where the code point is dropped, and the
        character itself where nothing changes.
    """
    character = chr(code_point)
    if not is_assigned(code_point):
        return character
    if character.isspace() or character == WORD_START:
        return " "
    decomposed = unicodedata.normalize("NFKD", character)
    text = "".join(c for c in decomposed if not unicodedata.combining(c))
    return text.lower() if lowercase else text


def normalize_text(text: str, lowercase: bool) -> str:
    """Normalises a text in Python, as the graph does.

    Args:
        text: str.
        lowercase: bool, lower-case.
    """
    for mark in QUOTING:
        text = text.replace(2 * mark, QUOTE)
    return text.translate(_translation(lowercase))


@functools.cache
def _translation(lowercase):
    return _Translation(lowercase)


class _Translation(dict):
    """Replacements by code point, found when they are first asked for."""

    def __init__(self, lowercase):
        super().__init__()
        self._lowercase = lowercase

    def __missing__(self, code_point):
        text = normalize_code_point(code_point, self._lowercase)
        return self.setdefault(code_point, text)
