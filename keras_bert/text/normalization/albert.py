"""ALBERT's normalisation of a text before SentencePiece sees it.

Two libraries do it, each in its own way. The rules of google-research/albert
are those of its `preprocess_text`: white space becomes a space, characters are
decomposed (NFKD), combining ones are dropped, and an uncased model
lower-cases. As in `bert`, a table of code points holds them, pinned to
Unicode 13.0.

The steps of Hugging Face are Replace, which makes quotation marks of "``" and
"''", then NFKD, StripAccents, Lowercase and Precompiled, the model's table. Two
ops do it in the graph: a table of code points holds the middle ones, and the
model's table is replaced with one that also knows the pairs of quotation marks.
They are pairs in the text as given only. So what the first table drops leaves a
`SEPARATOR` behind, and marks that it makes of other characters stand between
two: the second table drops them.
"""

import functools
import importlib.resources
import typing
import unicodedata

from keras_bert.text.normalization.bert import is_assigned
from keras_bert.text.normalization.charsmap import build_charsmap
from keras_bert.text.normalization.charsmap import single_replacements

# SentencePiece writes spaces so; in a text it is one.
WORD_START = "\u2581"
# Pairs of these marks are quotation marks.
QUOTING, QUOTE = ("`", "'"), '"'
# It is a combining mark, which the first table drops wherever it stands.
SEPARATOR = "\u20d2"
# `WhitespaceSplit`, as far as NFKD leaves any.
_WHITE_SPACE = "\t\n\x0b\x0c\r\x85\u1680\u2028\u2029"


class AlbertNormalizer(typing.NamedTuple):
    """Turns texts into those that SentencePiece cuts.

    Args:
        table: str, the first part of the names of its tables.
        charsmap: function from the replacements of a model, bytes, to those
            that take their place.
    """

    table: str
    charsmap: typing.Callable

    def model(self, lowercase: bool) -> bytes:
        """Reads the table for `tensorflow_text.FastBertNormalizer`.

        Args:
            lowercase: bool, True for the uncased models.

        Returns:
            Bytes, for `model_buffer`.
        """
        name = f"{self.table}_{CASINGS[lowercase]}.bin"
        folder = importlib.resources.files("keras_bert.text.normalization")
        return (folder / "tables" / name).read_bytes()


def _hugging_face_charsmap(charsmap):
    """The second table, of single characters and pairs of marks.

    Precompiled looks at single characters; at whole graphemes only where they
    have less than six bytes, and none of those is left with an accent.
    """
    return build_charsmap(
        {
            **dict.fromkeys(_WHITE_SPACE, " "),
            **single_replacements(charsmap),
            **{2 * mark: QUOTE for mark in QUOTING},
            SEPARATOR: "",
        }
    )


CASINGS = {True: "uncased", False: "cased"}  # By `lowercase`.
GOOGLE_RESEARCH, HUGGING_FACE = "google_research", "hugging_face"
NORMALIZERS = {
    GOOGLE_RESEARCH: AlbertNormalizer("albert", lambda charsmap: charsmap),
    HUGGING_FACE: AlbertNormalizer("albert_tokenizers", _hugging_face_charsmap),
}


@functools.cache
def combining_characters():
    """All that `unicodedata.combining` knows in Unicode 13.0, a tuple."""
    return tuple(
        character
        for character in map(chr, range(0x300, 0x20000))
        if unicodedata.combining(character) and is_assigned(ord(character))
    )


def normalize_code_point(code_point: int, lowercase: bool) -> str:
    """Gives the characters that take the place of one code point.

    Args:
        code_point: int, from 0 to 0x10FFFF.
        lowercase: bool, lower-case.

    Returns:
        The replacement by google-research/albert: empty where the code point
        is dropped, and the character itself where nothing changes.
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
    """Normalises a text in Python, as google-research/albert does.

    Args:
        text: str.
        lowercase: bool, lower-case.
    """
    return text.translate(_TRANSLATIONS[lowercase])


class _Translation(dict):
    """Replacements by code point, found when they are first asked for."""

    def __init__(self, lowercase):
        super().__init__()
        self._lowercase = lowercase

    def __missing__(self, code_point):
        text = normalize_code_point(code_point, self._lowercase)
        return self.setdefault(code_point, text)


_TRANSLATIONS = {lowercase: _Translation(lowercase) for lowercase in CASINGS}
