"""Text normalisation of the published BERT, one code point at a time.

The rules are those of `BasicTokenizer` in google-research/bert: characters
that carry no text are dropped and white space becomes a space; an uncased
model then lower-cases, decomposes (NFD) and drops the accents.
No rule looks at a neighbour (save the final sigma of `str.lower`, left out),
so a table holds them, and tensorflow-text's op `FastBertNormalize` runs that
table inside the graph.

Python releases differ in their Unicode data. The rules are therefore pinned
to Unicode 13.0, the data of the oldest Python supported: a code point that
13.0 left unassigned maps to itself on every Python.
"""

import bisect
import functools
import importlib.resources
import unicodedata

MODES = {
    # (lowercase, strip_accents)
    (True, True): "uncased",
    (True, False): "lowercase",
    (False, False): "cased",
}

_SEPARATORS = ("Zs", "Zl", "Zp")

# The only code point whose category, as far as the rules look at it, has
# changed since Unicode 13.0 (Hanunoo sign pamudpod, now Mc).
_CATEGORIES_IN_UNICODE_13 = {"\u1734": "Mn"}


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


def normalize_code_point(
    code_point: int, lowercase: bool, strip_accents: bool
) -> str:
    """Gives the characters that take the place of one code point.

    Args:
        code_point: int, from 0 to 0x10FFFF.
        lowercase: bool, lower-case.
        strip_accents: bool, decompose (NFD) and drop category Mn.

    Returns:
        The replacement: empty where the code point is dropped, and the
        character itself where nothing changes.
    """
    character = chr(code_point)
    if not is_assigned(code_point):
        return character
    if _is_dropped(character):
        return ""
    if _is_white_space(character):
        return " "
    text = character.lower() if lowercase else character
    return _strip_accents(text) if strip_accents else text


def is_assigned(code_point: int) -> bool:
    """Tells whether Unicode 13.0 assigns the code point."""
    # Ranges start at the even positions and end before the odd ones.
    return bisect.bisect_right(_assigned_boundaries(), code_point) % 2 == 1


def _is_dropped(character):
    if character in "\t\n\r":
        return False
    return character in "\0\ufffd" or _category(character) in ("Cc", "Cf")


def _is_white_space(character):
    # The original leaves U+2028 (Zl) and U+2029 (Zp) to `str.split`. Here
    # they must go: the published Chinese vocabulary holds U+2028, and the op
    # tries the vocabulary before it looks for white space.
    return character in "\t\n\r" or _category(character) in _SEPARATORS


def _strip_accents(text):
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(c for c in decomposed if _category(c) != "Mn")


def _category(character):
    pinned = _CATEGORIES_IN_UNICODE_13.get(character)
    return pinned or unicodedata.category(character)


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
