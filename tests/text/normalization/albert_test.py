"""The tables compared with the published rules, for every code point."""

import unicodedata

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text as tf_text
from tokenizers import normalizers

from keras_bert.text.normalization.normalizers import GOOGLE_RESEARCH
from keras_bert.text.normalization.normalizers import HUGGING_FACE
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.normalization.normalizers import is_assigned
from keras_bert.text.normalization.normalizers import normalize_text

_CODE_POINTS = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]


def _expected(code_point, lowercase):
    """Apply google-research/albert's `preprocess_text`; "▁" is a space too."""
    character = chr(code_point)
    if not is_assigned(code_point):
        return character
    text = " " if character.isspace() else character
    text = unicodedata.normalize("NFKD", text.replace("▁", " "))
    text = "".join(c for c in text if not unicodedata.combining(c))
    return text.lower() if lowercase else text


def _normalized(name, lowercase, texts):
    model = NORMALIZERS[name].model(lowercase)
    table = tf.constant(np.frombuffer(model, np.uint8))
    op = tf_text.FastBertNormalizer(model_buffer=table)
    return op.normalize(texts).numpy().tolist()


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_code_point_is_normalised_as_published(lowercase):
    characters = [chr(c) for c in _CODE_POINTS]
    texts = _normalized(GOOGLE_RESEARCH, lowercase, characters)
    expected = [_expected(c, lowercase).encode() for c in _CODE_POINTS]
    assert texts == expected


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_code_point_is_normalised_as_by_hugging_face(lowercase):
    steps = [normalizers.NFKD(), normalizers.StripAccents()]
    steps += [normalizers.Lowercase()] if lowercase else []
    peer = normalizers.Sequence(steps)
    characters = [chr(c) for c in _CODE_POINTS]
    texts = _normalized(HUGGING_FACE, lowercase, characters)
    # Removed characters leave a separator.
    ours = [text.decode().replace("\u20d2", "") for text in texts]
    wrong = [
        character
        for character, text in zip(characters, ours, strict=True)
        if text != peer.normalize_str(character)
    ]
    assert not wrong, (len(wrong), wrong[:9])


def test_only_marks_of_the_text_as_given_can_pair():
    texts = ["''", "'＇", "'\u0301'", "`\u1fef", "ﬁ"]
    assert [t.decode() for t in _normalized(HUGGING_FACE, True, texts)] == [
        *("''", "'\u20d2'\u20d2", "'\u20d2'", "`\u20d2`\u20d2", "fi")
    ]


def test_texts_are_normalised_in_python_alike():
    text = "``Thé'' ﬁle\u3000½▁\x0bÅ"
    assert normalize_text(text, True) == "``the'' file 1⁄2  a"
    assert normalize_text(text, False) == "``The'' file 1⁄2  A"
