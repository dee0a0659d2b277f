"""Special tokens in texts, such as [MASK], for SentencePiece.

Texts are normalized before they are tokenized, so "[mask]" and [MASK] would
become equal. A first table therefore replaces the letters of special tokens by
marks: noncharacters of Unicode, which no normalizer changes. The last table,
the model's, converts sequences of marks to special tokens, and all other marks
back to letters.
"""

import tensorflow as tf

from keras_bert.text.conventions import MODEL
from keras_bert.text.normalization.normalizers import combining_characters
from keras_bert.text.normalization.replacements import build_charsmap
from keras_bert.text.normalization.replacements import build_table
from keras_bert.text.normalization.replacements import replacements
from keras_bert.text.sentencepiece.conventions import ALL_CONVENTIONS

_LETTERS = {
    letter
    for conventions in ALL_CONVENTIONS
    if conventions.normalizer != MODEL
    for token in (*conventions.roles.values(), *conventions.special)
    for letter in token
}
_FREE = map(chr, range(0xFDD0, 0xFDF0))
_MARKS = {letter: next(_FREE) for letter in sorted(_LETTERS)}
MARKS = "".join(_MARKS.values())
# _GAP replaces dropped combining characters, _NO_CHARACTER replaces
# noncharacters in texts.
_GAP, _NO_CHARACTER = next(_FREE), next(_FREE)


def can_be_marked(tokens):
    """Return whether all letters of the tokens have marks."""
    return _LETTERS.issuperset("".join(tokens))


def marked(token):
    """Return a special token spelled with marks, as in the model of the op."""
    return "".join(map(_MARKS.get, token))


def in_special_tokens(characters, tokens):
    """Return the mask of characters that belong to special tokens.

    Args:
        characters: int32 `(num_characters,)`, the index of each character in
            `MARKS`, negative for other characters.
        tokens: iterable of str, the special tokens.

    Returns:
        bool `(num_characters,)`.
    """
    size, letters = tf.size(characters), MARKS.index
    inside = tf.fill([size], False)
    for token in tokens:
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
    """Build the first table, which replaces letters by marks.

    Returns:
        Bytes to pass to `tensorflow_text.FastBertNormalizer` as `model_buffer`.
    """
    gaps = {x: _GAP + x for x in combining_characters()}
    given = dict.fromkeys((*_MARKS.values(), _GAP), _NO_CHARACTER)
    return build_table({**gaps, **given, **_MARKS})


def finding_charsmap(charsmap, lowercase, tokens):
    """Build the last table, which converts marks to special tokens.

    A new word begins after a special token, as in transformers.

    Args:
        charsmap: bytes, the replacement table of a model.
        lowercase: bool, whether texts are lower-cased.
        tokens: iterable of str, the special tokens.

    Returns:
        Bytes of the replacement table.
    """
    replaced = replacements(charsmap)
    letters = {
        mark: letter.lower() if lowercase else letter
        for letter, mark in _MARKS.items()
    }
    token_texts = {marked(token): f"{marked(token)} " for token in tokens}
    return build_charsmap(
        {
            **replaced,
            **{mark: replaced.get(x, x) for mark, x in letters.items()},
            **token_texts,
            _GAP: "",
        }
    )
