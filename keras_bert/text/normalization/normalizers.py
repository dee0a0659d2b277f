"""Normalisation of texts before BERT's and ALBERT's tokenizers cut them.

The rules of BERT are those of `BasicTokenizer` in google-research/bert:
characters that carry no text are dropped and white space becomes a space; an
uncased model then lower-cases, decomposes (NFD) and drops the accents. No rule
looks at a neighbour (save the final sigma of `str.lower`, left out), so a table
holds them, and tensorflow-text's op `FastBertNormalize` runs that table inside
the graph.

Of ALBERT two libraries do it, each in its own way. The rules of
google-research/albert are those of its `preprocess_text`: white space becomes a
space, characters are decomposed (NFKD), combining ones are dropped, and an
uncased model lower-cases. A table holds them too.

The steps of Hugging Face are Replace, which makes quotation marks of "``" and
"''", then NFKD, StripAccents, Lowercase and Precompiled, the model's table. Two
ops do it in the graph: a table of code points holds the middle ones, and the
model's table is replaced with one that also knows the pairs of quotation marks.
They are pairs in the text as given only. So what the first table drops leaves a
`SEPARATOR` behind, and marks that it makes of other characters stand between
two: the second table drops them.

Python releases differ in their Unicode data. The rules are therefore pinned to
Unicode 13.0, the data of the oldest Python supported: a code point that 13.0
left unassigned maps to itself on every Python.
`tools/tables/build_normalizers.py` builds the tables.
"""

import bisect
import functools
import importlib.resources
import typing
import unicodedata

from keras_bert.text.normalization.replacements import build_charsmap
from keras_bert.text.normalization.replacements import single_replacements

MODES = {
    # (lowercase, strip_accents)
    (True, True): "uncased",
    (True, False): "lowercase",
    (False, False): "cased",
}


def normalizer_model(lowercase: bool, strip_accents: bool) -> bytes:
    """Reads the table that makes tensorflow-text normalise as BERT does.

    Args:
        lowercase: bool, True for the uncased models.
        strip_accents: bool, decompose (NFD) and drop the accents, as the
            published uncased models want it. Only with `lowercase`.

    Returns:
        Bytes, for `tensorflow_text.FastBertNormalizer` as `model_buffer` or
        `tensorflow_text.FastBertTokenizer` as
        `fast_bert_normalizer_model_buffer`.

    Raises:
        ValueError: accents are to be stripped and case kept.

    Example:

    >>> model = normalizer_model(lowercase=True, strip_accents=True)
    >>> normalizer = tf_text.FastBertNormalizer(model_buffer=model)
    >>> normalizer.normalize(["Le Café"])
    <tf.Tensor: shape=(1,), dtype=string, numpy=array([b'le cafe'], ...)>
    """
    mode = MODES.get((lowercase, strip_accents))
    if mode is None:
        raise ValueError(
            "`strip_accents=True` needs `lowercase=True`: there is no table "
            "that strips accents and keeps case. Received: "
            f"lowercase={lowercase}, strip_accents={strip_accents}."
        )
    return (_assets() / f"{mode}.bin").read_bytes()


def is_assigned(code_point: int) -> bool:
    """Tells whether Unicode 13.0 assigns the code point."""
    # Ranges start at the even positions and end before the odd ones.
    return bisect.bisect_right(_assigned_boundaries(), code_point) % 2 == 1


@functools.cache
def _assigned_boundaries():
    text = (_assets() / "unicode_13_assigned.txt").read_text("ascii")
    boundaries = []
    for line in text.splitlines():
        first, last = line.split("..")
        boundaries += [int(first, 16), int(last, 16) + 1]
    return boundaries


def _assets():
    return importlib.resources.files("keras_bert.text.normalization") / "tables"


@functools.cache
def composing_charsmap():
    """Read the replacements of DeBERTa's normalizer in transformers 5."""
    return (_assets() / COMPOSING).read_bytes()


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
# What takes the place of a model's replacements in transformers 5: NFC.
COMPOSING = "composing_charsmap.bin"
MODEL = "model"  # The rules of a SentencePiece model only: no table before it.
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
