"""The tables compared with the published rules, for every code point."""

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


@functools.cache
def expected_replacements(lowercase, strip_accents):
    return [
        expected_replacement(c, lowercase, strip_accents) for c in CODE_POINTS
    ]


def make_normalizer(lowercase, strip_accents):
    model = normalizers.normalizer_model(lowercase, strip_accents)
    return tf_text.FastBertNormalizer(
        model_buffer=tf.constant(np.frombuffer(model, np.uint8))
    )


def normalize(texts, lowercase, strip_accents):
    texts = tf.constant(texts)
    return make_normalizer(lowercase, strip_accents).normalize(texts).numpy()


def code_points(ranges):
    """Parse "7FD 8D3-8E1" to a set of code points."""
    result = set()
    for part in ranges.split():
        first, _, last = part.partition("-")
        result.update(range(int(first, 16), int(last or first, 16) + 1))
    return result


def test_assigned_code_points_are_those_of_unicode_13():
    ours = {c for c in range(0x110000) if normalizers.is_assigned(c)}
    python = {
        c for c in range(0x110000) if unicodedata.category(chr(c)) != "Cn"
    }
    assert len(ours) == 283_440 and ours <= python
    assert ours == python or unicodedata.unidata_version != "13.0.0"


@pytest.mark.large
@pytest.mark.parametrize("around", ["", "q", " "])
@pytest.mark.parametrize("mode", MODES)
def test_every_code_point_is_normalised_as_published(mode, around):
    texts = [f"{around}{chr(c)}{around}" for c in CODE_POINTS]
    expected = [
        f"{around}{text}{around}".encode()
        for text in expected_replacements(*mode)
    ]
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


def is_reordered(character):
    """Return whether NFD reorders a mark that is not removed later."""
    return unicodedata.combining(character) and category(character) != "Mn"


def _assigned():
    return [chr(c) for c in CODE_POINTS if normalizers.is_assigned(c)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_every_code_point_cuts_words_as_published(mode):
    texts = [f"q{character}q" for character in _assigned()]
    words = [basic_tokenize(text, *mode) for text in texts]
    assert split(texts, mode) == words


def test_random_texts_become_the_published_words():
    # Exclude the documented differences.
    assigned = [c for c in _assigned() if not is_reordered(c)]
    marks = [c for c in assigned if category(c) in ("Mn", "Mc", "Cf")]
    low = [c for c in assigned if c < "\u3000" and c != "Σ"]
    choose = random.Random(20181011)
    for alphabet in (assigned, marks, low):
        texts = [
            "".join(choose.choices(alphabet, k=choose.randint(1, 14)))
            for _ in range(2000)
        ]
        for mode in MODES:
            words = [basic_tokenize(text, *mode) for text in texts]
            assert split(texts, mode) == words, mode


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


# Differences from `tokenizers` with Unicode 13.0, by reason.
# Marks that are missing in its Unicode 8 data.
_NEW_MARKS = (
    "7FD 8D3-8E1 9FE AFA-AFF B55 C04 D00 D3B-D3C D81 EBA 1885-1886 "
    "1ABF-1AC0 1DF6-1DF9 1DFB A82C A8C5 A8FF A9BD 10D24-10D27 10EAB-10EAC "
    "10F46-10F50 111C9 111CF 1123E 1133B 11438-1143F 11442-11444 11446 "
    "1145E 1182F-11837 11839-1183A 1193B-1193C 1193E 11943 119D4-119D7 "
    "119DA-119DB 119E0 11A01-11A0A 11A33-11A38 11A3B-11A3E 11A47 "
    "11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A99 11C30-11C36 "
    "11C38-11C3D 11C3F 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 "
    "11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91 11D95 "
    "11D97 11EF3-11EF4 16F4F 16FE4 1E000-1E006 1E008-1E018 1E01B-1E021 "
    "1E023-1E024 1E026-1E02A 1E130-1E136 1E2EC-1E2EF 1E944-1E94A"
)
_NEW_DECOMPOSITIONS = "11938"
_NEW_FORMAT_CHARACTERS = "8E2 110CD 13430-13438"
# Punctuation since then; U+166D and U+111C9 no longer are.
_NEW_PUNCTUATION = (
    "9FD A76 C77 C84 166D 2E43-2E4F 2E52 10EAD 10F55-10F59 111C9 "
    "1144B-1144F 1145A-1145B 1145D 11660-1166C 1183B 11944-11946 119E2 "
    "11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11C41-11C45 11C70-11C71 "
    "11EF7-11EF8 11FFF 16E97-16E9A 16FE2 1E95E-1E95F"
)
_PRIVATE_USE = "E000-F8FF F0000-FFFFD 100000-10FFFD"


@pytest.mark.parametrize("mode", MODES)
def test_normalised_characters_differ_where_documented(mode):
    expected = code_points(_PRIVATE_USE) | code_points(_NEW_FORMAT_CHARACTERS)
    marks = code_points(_NEW_MARKS)
    assert len(marks) == 272
    lowercase, strip_accents = mode
    if strip_accents:
        expected |= marks | code_points(_NEW_DECOMPOSITIONS)
    peer = BertNormalizer(
        clean_text=True,
        handle_chinese_chars=False,
        lowercase=lowercase,
        strip_accents=strip_accents,
    )
    texts = expected_replacements(*mode)
    assert expected == {
        code_point
        for code_point, text in zip(CODE_POINTS, texts, strict=True)
        if normalizers.is_assigned(code_point)
        and peer.normalize_str(chr(code_point)) != text
    }


def test_chinese_characters_differ_in_one_range():
    peer = BertNormalizer(
        clean_text=False,
        handle_chinese_chars=True,
        lowercase=False,
        strip_accents=False,
    )
    different = {
        c
        for c in CODE_POINTS
        if is_cjk(c) != (peer.normalize_str(chr(c)) != chr(c))
    }
    assert different == code_points("2B820-2B91F")


def test_punctuation_differs_where_documented():
    peer = BertPreTokenizer()
    different = {
        ord(c)
        for c in _assigned()
        if is_punctuation(c) != (len(peer.pre_tokenize_str(f"q{c}q")) == 3)
    }
    assert different == code_points(_NEW_PUNCTUATION)
