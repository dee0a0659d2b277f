"""The tables compared with the published rules, for every code point."""

import collections
import functools
import random
import unicodedata

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text as tf_text
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from keras_bert.text.normalization import normalizers

# (lowercase, strip_accents)
MODES = ((True, True), (True, False), (False, False))
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@functools.cache
def category(character):
    """Return the category in Unicode 13.0, with every Python."""
    if not normalizers.is_assigned(ord(character)):
        return "Cn"
    return "Mn" if character == "\u1734" else unicodedata.category(character)


def clean(text):
    """Apply BasicTokenizer._clean_text of google-research/bert."""
    output = []
    for character in text:
        if character in "\t\n\r" or category(character) == "Zs":
            output.append(" ")
        elif character in "\0\ufffd" or category(character) in ("Cc", "Cf"):
            continue
        else:
            output.append(character)
    return "".join(output)


def strip_marks(text):
    """Apply BasicTokenizer._run_strip_accents."""
    text = unicodedata.normalize("NFD", text)
    return "".join(c for c in text if category(c) != "Mn")


def expected_replacement(code_point, lowercase, strip_accents):
    """Return the replacement of a single code point by the published rules."""
    character = chr(code_point)
    if not normalizers.is_assigned(code_point):
        return character
    if character in "\u2028\u2029":
        return " "  # The original splits at these later, with str.split.
    text = clean(character)
    text = text.lower() if lowercase else text
    return strip_marks(text) if strip_accents else text


def basic_tokenize(text, lowercase, strip_accents):
    """Apply BasicTokenizer.tokenize."""
    spaced = (f" {c} " if is_cjk(ord(c)) else c for c in clean(text))
    words = []
    for word in "".join(spaced).split():
        word = word.lower() if lowercase else word
        word = strip_marks(word) if strip_accents else word
        words += "".join(
            f" {c} " if is_punctuation(c) else c for c in word
        ).split()
    return words


def is_punctuation(character):
    is_symbol = character.isascii() and character.isprintable()
    is_symbol = is_symbol and not character.isalnum() and character != " "
    return is_symbol or category(character).startswith("P")


def is_cjk(code_point):
    return any(first <= code_point <= last for first, last in CJK)


def normalize(texts, lowercase, strip_accents):
    model = normalizers.normalizer_model(lowercase, strip_accents)
    table = tf.constant(np.frombuffer(model, np.uint8))
    op = tf_text.FastBertNormalizer(model_buffer=table)
    return op.normalize(tf.constant(texts)).numpy()


def test_assigned_code_points_are_those_of_unicode_13():
    ours = {c for c in range(0x110000) if normalizers.is_assigned(c)}
    python = {
        c for c in range(0x110000) if unicodedata.category(chr(c)) != "Cn"
    }
    assert len(ours) == 283_440 and ours <= python
    assert ours == python or unicodedata.unidata_version != "13.0.0"


@pytest.mark.parametrize("mode", MODES)
def test_every_code_point_is_normalised_as_published(mode):
    texts = [f"q{chr(c)} {chr(c)}" for c in CODE_POINTS]
    replaced = [expected_replacement(c, *mode) for c in CODE_POINTS]
    expected = [f"q{text} {text}".encode() for text in replaced]
    rows = zip(CODE_POINTS, normalize(texts, *mode), expected, strict=True)
    assert not [hex(point) for point, ours, theirs in rows if ours != theirs]


@functools.cache
def splitter():
    return tf_text.FastWordpieceTokenizer(
        vocab=["[UNK]", "##b"], max_bytes_per_word=1000
    )


def split(texts, mode):
    """Return words as split by the WordPiece op: each is one [UNK]."""
    lines = normalize(texts, *mode)
    _, starts, ends = splitter().tokenize_with_offsets(lines)
    return [
        [line[a:b].decode() for a, b in zip(first, last, strict=True)]
        for line, first, last in zip(
            lines, starts.to_list(), ends.to_list(), strict=True
        )
    ]


@functools.cache
def _assigned():
    return [chr(c) for c in CODE_POINTS if normalizers.is_assigned(c)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_every_code_point_cuts_words_as_published(mode):
    texts = [f"q{character}q" for character in _assigned()]
    words = [basic_tokenize(text, *mode) for text in texts]
    assert split(texts, mode) == words


@pytest.mark.parametrize("mode", MODES)
def test_ill_formed_bytes_vanish_as_in_python(mode):
    lead = [0x41, 0x20, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4]
    other = [0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xF5, 0xFF]
    choose = random.Random(20181011)
    texts = [bytes(choose.choices(lead + other, k=8)) for _ in range(20000)]
    well_formed = [text.decode("utf-8", "ignore") for text in texts]
    np.testing.assert_array_equal(
        normalize(texts, *mode), normalize(well_formed, *mode)
    )


@pytest.mark.parametrize(
    "text, published, ours",
    [
        ("ΟΔΟΣ", "οδος", "οδοσ"),  # The final sigma is not special.
        ("\U0001d165\u1b44", "\u1b44\U0001d165", "\U0001d165\u1b44"),
    ],
)
def test_differences_from_the_published_words(text, published, ours):
    assert basic_tokenize(text, True, True) == [published]
    assert split([text], (True, True)) == [[ours]]


@pytest.mark.exhaustive
def test_differences_from_tokenizers_are_as_many_as_documented():
    """Its data is of Unicode 8.0, see docs/tokenization.md."""
    drops = BertNormalizer(handle_chinese_chars=False)
    different = [
        c
        for c in _assigned()
        if drops.normalize_str(c) != expected_replacement(ord(c), True, True)
    ]
    kinds = collections.Counter(map(category, different))
    assert kinds == {"Co": 137_468, "Mn": 272, "Cf": 11, "Mc": 1}

    cuts = BertPreTokenizer()
    counts = collections.Counter(
        is_punctuation(c)
        for c in _assigned()
        if is_punctuation(c) != (len(cuts.pre_tokenize_str(f"q{c}q")) == 3)
    )
    assert counts == {True: 83, False: 2}

    spaces = BertNormalizer(False, True, False, False)
    different = [
        c
        for c in CODE_POINTS
        if is_cjk(c) != (spaces.normalize_str(chr(c)) != chr(c))
    ]
    assert different == [*range(0x2B820, 0x2B920)]
