"""NFC compared with Hugging Face `tokenizers`, which uses Unicode 9.0."""

import functools
import random
import unicodedata

import pytest
import tensorflow as tf
import tokenizers

from keras_bert.text.flat_texts import flatten
from keras_bert.text.normalization.composition import Composition

_FORMS = ("{}", "a{}b", "e\u0301{}\u0323", " {}\u0301 ")
_HARD = [
    *map(chr, range(0x300, 0x370)),
    *"aeiouAEOsS \u0323\u0345\u094d\u093c\u05b0\u0327\u3099",
    *"ᄀ하ᅵᆨᇂ가각ㄱ\u11a7\u09c7\u09be\u09d7\u0b47\u0b3e\u0dd9\u0dcf\u0dca",
    *"\u212b\u0344\u1e69か\u0958\u2adc\u0928中😀\U0001d15f\U00011131\U00011127",
    "\U00011938",  # Newer than Unicode 9.0.
]
_peer = tokenizers.normalizers.NFC()


@functools.cache
def _function():
    composition = Composition()
    signature = [tf.TensorSpec([None], tf.string)]
    return tf.function(lambda texts: composition(flatten(texts)), signature)


def _composed(texts):
    flat = _function()(tf.constant(texts))
    codes, ends = flat.bytes.numpy().tobytes(), flat.separators.numpy()
    rows = [codes[a + 1 : b] for a, b in zip(ends, ends[1:])]
    assert sum(map(len, rows)) == flat.is_text.numpy().sum()
    return rows


def _check(texts):
    wrong = [
        (text, row)
        for text, row in zip(texts, _composed(texts), strict=True)
        if row != _peer.normalize_str(text).encode()
    ]
    assert not wrong


def _random(number):
    choose = random.Random(15)
    return [
        "".join(choose.choices(_HARD, k=choose.randint(1, 14)))
        for _ in range(number)
    ]


def _code_points(step):
    """Return code points that compose or decompose, and some others."""
    return [
        chr(point)
        for point in range(1, 0x110000)
        if not 0xD800 <= point < 0xE000
        and (
            point % step == 0
            or unicodedata.combining(chr(point))
            or unicodedata.decomposition(chr(point))
        )
    ]


@pytest.mark.parametrize("form", _FORMS)
def test_code_points_become_what_they_are_there(form):
    _check([*map(form.format, _code_points(step=97))])


def test_marks_are_sorted_and_composed_as_there():
    _check(_random(3000))


@pytest.mark.exhaustive
def test_every_code_point_and_more_texts():
    for form in _FORMS:
        _check([*map(form.format, _code_points(step=1))])
    _check(_random(100_000))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"e\xff\xcc\x81e\xcc\x81", b"e\xff\xcc\x81\xc3\xa9"),
        (b"\xed\xa0\x80\xcc\x81\xcc", b"\xed\xa0\x80\xcc\x81\xcc"),
        (b"e\0\xcc\x81", b"e\0\xcc\x81"),
    ],
)
def test_nothing_composes_with_or_across_other_bytes(text, expected):
    # The same across two texts.
    assert _composed([b"e", text, b"\xcc\x81"]) == [b"e", expected, b"\xcc\x81"]


def test_a_text_of_many_marks_takes_few_steps():
    text = "e" + "\u0301\u0323" * 20_000
    assert _composed([text]) == [_peer.normalize_str(text).encode()]
