"""Text normalizers of BERT and ALBERT as tables for a TensorFlow op.

BERT follows `BasicTokenizer` in google-research/bert: it drops control
characters and replaces white space by spaces. An uncased model then
lower-cases, decomposes (NFD) and drops accents. All rules apply to single
characters (the final sigma of `str.lower` is left out). A table stores them,
and tensorflow-text's op `FastBertNormalize` applies it in the graph.

ALBERT has three different normalizers. google-research/albert (function
`preprocess_text`) replaces white space by spaces, decomposes (NFKD), drops
combining characters, and lower-cases for an uncased model. One table stores
these rules.

zihangdai/xlnet does the same, but first replaces "``" and "''" by quotation
marks. So does the `AlbertTokenizer` of transformers without a `tokenizer.json`.

Hugging Face's steps are Replace ("``" and "''" become quotation marks), NFKD,
StripAccents, Lowercase and Precompiled (the table of the model).

The normalizers with quotation marks are two ops in the graph, with a table
each. The first table stores the rules for single characters. The second table
extends the model's table by the pairs of quotation marks. Only pairs in the raw
text are replaced: the first table writes a `SEPARATOR` for dropped characters
and around quotation marks that it creates, and the second table drops the
separators.

Python versions differ in their Unicode data. The rules are therefore pinned to
Unicode 13.0, the version of the oldest supported Python: a code point that is
unassigned in 13.0 maps to itself.
`tools/tables/build_normalizers.py` builds the tables.
"""

import bisect
import functools
import importlib.resources
import typing
import unicodedata

from keras_bert.text.normalization.replacements import build_charsmap
from keras_bert.text.normalization.replacements import replacements
from keras_bert.text.normalization.replacements import single_replacements

MODES = {
    # (lowercase, strip_accents)
    (True, True): "uncased",
    (True, False): "lowercase",
    (False, False): "cased",
}


def normalizer_model(lowercase: bool, strip_accents: bool) -> bytes:
    """Read the tensorflow-text table that normalizes texts like BERT.

    Args:
        lowercase: whether to lower-case texts, as in "uncased" models.
        strip_accents: whether to decompose (NFD) and drop accents, as in the
            published uncased models. Requires `lowercase`.

    Returns:
        Bytes to pass to `tensorflow_text.FastBertNormalizer` as `model_buffer`,
        or to `tensorflow_text.FastBertTokenizer` as
        `fast_bert_normalizer_model_buffer`.

    Raises:
        ValueError: `strip_accents` is True and `lowercase` is False.

    Example:

    >>> model = normalizer_model(lowercase=True, strip_accents=True)
    >>> normalizer = tf_text.FastBertNormalizer(model_buffer=model)
    >>> normalizer.normalize(["Le Café"])
    <tf.Tensor: shape=(1,), dtype=string, numpy=array([b'le cafe'], ...)>
    """
    mode = MODES.get((lowercase, strip_accents))
    if mode is None:
        raise ValueError(
            "`strip_accents=True` requires `lowercase=True`: stripping accents "
            "of cased texts is not supported. Received: "
            f"lowercase={lowercase}, strip_accents={strip_accents}."
        )
    return (_assets() / f"{mode}.bin").read_bytes()


def is_assigned(code_point: int) -> bool:
    """Return whether the code point is assigned in Unicode 13.0."""
    # Even positions are range starts, odd positions are range ends (exclusive).
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
    """Read the replacement table of DeBERTa's normalizer in transformers 5."""
    return (_assets() / COMPOSING).read_bytes()


# SentencePiece's symbol for a space, which counts as a space in texts, too.
WORD_START = "\u2581"
# Pairs of these marks are quotation marks.
QUOTING, QUOTE = ("`", "'"), '"'
# A combining mark, which the first table drops from texts.
SEPARATOR = "\u20d2"
# White space of `WhitespaceSplit` that NFKD does not replace.
_WHITE_SPACE = "\t\n\x0b\x0c\r\x85\u1680\u2028\u2029"


class SentencePieceNormalizer(typing.NamedTuple):
    """Normalizer that runs before SentencePiece.

    Args:
        table: str, prefix of the table file names.
        charsmap: callable that adapts a model's replacement table (bytes) to
            this normalizer.
        splits_numbers: whether pieces that end in a digit and a comma are
            split, see `number_splits`.
    """

    table: str
    charsmap: typing.Callable
    splits_numbers: bool = True

    def model(self, lowercase: bool) -> bytes:
        """Read the table for `tensorflow_text.FastBertNormalizer`.

        Args:
            lowercase: whether to lower-case texts, as in "uncased" models.

        Returns:
            Bytes to pass as `model_buffer`.
        """
        name = f"{self.table}_{CASINGS[lowercase]}.bin"
        folder = importlib.resources.files("keras_bert.text.normalization")
        return (folder / "tables" / name).read_bytes()


def _hugging_face_charsmap(charsmap):
    """Return the table for single characters and quotation marks.

    Precompiled replaces single characters, and graphemes of less than six
    bytes. The first table has removed all accents, so that these graphemes
    cannot occur.
    """
    spaces = dict.fromkeys(_WHITE_SPACE, " ")
    return _quoting_charsmap({**spaces, **single_replacements(charsmap)})


def _xlnet_charsmap(charsmap):
    """Return the table of the model, extended by the quotation marks."""
    return _quoting_charsmap(replacements(charsmap))


def _quoting_charsmap(replaced):
    pairs = {2 * mark: QUOTE for mark in QUOTING}
    return build_charsmap({**replaced, **pairs, SEPARATOR: ""})


CASINGS = {True: "uncased", False: "cased"}  # By `lowercase`.
GOOGLE_RESEARCH, HUGGING_FACE = "google_research", "hugging_face"
XLNET = "xlnet"
# Replacement table used instead of the model's in transformers 5: NFC.
COMPOSING = "composing_charsmap.bin"
NORMALIZERS = {
    GOOGLE_RESEARCH: SentencePieceNormalizer(GOOGLE_RESEARCH, lambda x: x),
    XLNET: SentencePieceNormalizer(XLNET, _xlnet_charsmap),
    HUGGING_FACE: SentencePieceNormalizer(
        HUGGING_FACE, _hugging_face_charsmap, splits_numbers=False
    ),
}


@functools.cache
def combining_characters():
    """Return all combining characters of Unicode 13.0 as a tuple of str."""
    return tuple(
        character
        for character in map(chr, range(0x300, 0x20000))
        if unicodedata.combining(character) and is_assigned(ord(character))
    )


def normalize_code_point(code_point: int, lowercase: bool) -> str:
    """Normalize a single code point as google-research/albert does.

    Args:
        code_point: from 0 to 0x10FFFF.
        lowercase: whether to lower-case the character.

    Returns:
        The replacement: "" if the code point is dropped, the character itself
        if it does not change.
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
    """Normalize a text in Python, as google-research/albert does.

    Args:
        text: the text.
        lowercase: whether to lower-case texts.
    """
    return text.translate(_TRANSLATIONS[lowercase])


class _Translation(dict):
    """Dict of replacements by code point, computed on first access."""

    def __init__(self, lowercase):
        super().__init__()
        self._lowercase = lowercase

    def __missing__(self, code_point):
        text = normalize_code_point(code_point, self._lowercase)
        return self.setdefault(code_point, text)


_TRANSLATIONS = {lowercase: _Translation(lowercase) for lowercase in CASINGS}
