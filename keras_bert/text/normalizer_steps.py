"""The normalizers of an ALBERT as steps of a `tokenizer.json`."""

import functools
import unicodedata

from keras_bert.text.albert_normalizer import GOOGLE_RESEARCH
from keras_bert.text.albert_normalizer import HUGGING_FACE
from keras_bert.text.hugging_face_normalizer import QUOTE
from keras_bert.text.hugging_face_normalizer import QUOTING
from keras_bert.text.normalizer import is_assigned

# White space to Python, but not to `tokenizers` or not to the model's table.
_WHITE_SPACE = "[\x0b\x1c-\x1f]"


def normalizer_steps(normalizer, lowercase):
    """The steps before Precompiled.

    Args:
        normalizer: str, a key of `NORMALIZERS`.
        lowercase: bool, lower-case the text.

    Returns:
        A list of dicts for JSON.
    """
    steps = _STEPS[normalizer]()
    return steps + ([{"type": "Lowercase"}] if lowercase else [])


def _google_research():
    return [
        _replace("Regex", _WHITE_SPACE, " "),
        {"type": "NFKD"},
        _replace("Regex", _combining_characters(), ""),
    ]


def _hugging_face():
    return [
        *(_replace("String", 2 * mark, QUOTE) for mark in QUOTING),
        {"type": "NFKD"},
        {"type": "StripAccents"},
    ]


_STEPS = {GOOGLE_RESEARCH: _google_research, HUGGING_FACE: _hugging_face}


def _replace(kind, pattern, content):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


@functools.cache
def _combining_characters():
    """A class of all that `unicodedata.combining` knows in Unicode 13.0."""
    ranges = []
    for code_point in range(0x300, 0x20000):
        character = chr(code_point)
        if unicodedata.combining(character) and is_assigned(code_point):
            if ranges and ord(ranges[-1][1]) == code_point - 1:
                ranges[-1][1] = character
            else:
                ranges.append([character, character])
    return f"[{''.join(f'{first}-{last}' for first, last in ranges)}]"
