"""The tables against the published rules, over every code point."""

import unicodedata

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text import normalizer_builder
from keras_bert.text.albert_normalizer import albert_normalizer_model
from keras_bert.text.albert_normalizer import normalize_text
from keras_bert.text.normalizer import is_assigned

_CODE_POINTS = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]


def _expected(code_point, lowercase):
    """`preprocess_text` of google-research/albert; "▁" is a space too."""
    character = chr(code_point)
    if not is_assigned(code_point):
        return character
    text = " " if character.isspace() else character
    text = unicodedata.normalize("NFKD", text.replace("▁", " "))
    text = "".join(c for c in text if not unicodedata.combining(c))
    return text.lower() if lowercase else text


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_code_point_is_normalised_as_published(lowercase):
    table = np.frombuffer(albert_normalizer_model(lowercase), np.uint8)
    op = tf_text.FastBertNormalizer(model_buffer=tf.constant(table))
    texts = op.normalize([chr(c) for c in _CODE_POINTS]).numpy()
    expected = [_expected(c, lowercase).encode() for c in _CODE_POINTS]
    assert texts.tolist() == expected


@pytest.mark.large
@pytest.mark.parametrize("lowercase", [True, False])
def test_committed_tables_are_the_output_of_the_builder(lowercase):
    built = normalizer_builder.build_albert_normalizer_model(lowercase)
    assert built == albert_normalizer_model(lowercase)


def test_texts_are_normalised_in_python_alike():
    text = "``Thé'' ﬁle\u3000½▁\x0bÅ ```"
    assert normalize_text(text, True) == '"the" file 1⁄2  a "`'
    assert normalize_text(text, False) == '"The" file 1⁄2  A "`'
