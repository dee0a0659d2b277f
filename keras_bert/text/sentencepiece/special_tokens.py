"""Special tokens written in a text, such as [MASK], for SentencePiece.

A text is normalised before it is cut, and then "[mask]" looks like [MASK]. So a
first table turns the letters of special tokens into marks, noncharacters of
Unicode, which no normalizer changes. The last table, that of the model, makes
a special token of a row of marks, and letters of all other marks.
"""

import tensorflow as tf

from keras_bert.text.normalization.normalizers import combining_characters
from keras_bert.text.normalization.replacements import build_charsmap
from keras_bert.text.normalization.replacements import build_table
from keras_bert.text.normalization.replacements import replacements
from keras_bert.text.sentencepiece.conventions import ALBERT

_LETTERS = sorted({*"".join(ALBERT.roles.values())})
_FREE = map(chr, range(0xFDD0, 0xFDF0))
_MARKS = {letter: next(_FREE) for letter in _LETTERS}
MARKS = "".join(_MARKS.values())
# The first stands where a combining character is dropped, the second for the
# noncharacters that stand in a text.
_GAP, _NO_CHARACTER = next(_FREE), next(_FREE)


def marked(token):
    """A special token in marks, as the op's model knows it."""
    return "".join(map(_MARKS.get, token))


def in_special_tokens(characters):
    """Finds the letters of special tokens among others.

    Args:
        characters: int32 `(num_characters,)`, the place of each character in
            `MARKS`, or less than 0.

    Returns:
        bool `(num_characters,)`.
    """
    size, letters = tf.size(characters), MARKS.index
    inside = tf.fill([size], False)
    for token in ALBERT.roles.values():
        padded = tf.concat([characters, [-1] * len(token)], 0)
        begins = tf.fill([size], True)
        for distance, mark in enumerate(marked(token)):
            code = padded[distance : distance + size]
            begins &= tf.equal(code, letters(mark))
        begins = tf.concat([[False] * len(token), begins], 0)
        for start in range(1, len(token) + 1):
            inside |= begins[start : start + size]
    return inside


def marking_table():
    """Builds the table that comes first.

    Returns:
        Bytes, for `tensorflow_text.FastBertNormalizer` as `model_buffer`.
    """
    gaps = {x: _GAP + x for x in combining_characters()}
    given = dict.fromkeys((*_MARKS.values(), _GAP), _NO_CHARACTER)
    return build_table({**gaps, **given, **_MARKS})


def finding_charsmap(charsmap, lowercase):
    """Builds the table that comes last.

    Behind a special token a word begins, as in transformers.

    Args:
        charsmap: bytes, the replacements of a model.
        lowercase: bool, texts are lower-cased.

    Returns:
        Bytes of such a table.
    """
    found = replacements(charsmap)
    letters = {
        mark: letter.lower() if lowercase else letter
        for letter, mark in _MARKS.items()
    }
    roles = ALBERT.roles.values()
    tokens = {marked(token): f"{marked(token)} " for token in roles}
    return build_charsmap(
        {
            **found,
            **{mark: found.get(x, x) for mark, x in letters.items()},
            **tokens,
            _GAP: "",
        }
    )
