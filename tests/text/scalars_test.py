import numpy as np
import pytest
import tensorflow as tf

from keras_bert.text import BertPreprocessor
from keras_bert.text import BytePairTokenizer
from keras_bert.text import WordTokenizer
from keras_bert.text.byte_pair.vocabulary import SPECIAL_TOKENS
from keras_bert.text.byte_pair.vocabulary import BytePairVocabulary
from keras_bert.text.byte_pair.vocabulary import byte_characters


def _byte_pair():
    tokens = [*SPECIAL_TOKENS, *byte_characters(), "th"]
    return BytePairTokenizer(BytePairVocabulary(tokens), [("t", "h")])


@pytest.fixture(params=["wordpiece", "byte_pair", "words"])
def any_tokenizer(request, tokenizer):
    if request.param == "wordpiece":
        return tokenizer
    return {"byte_pair": _byte_pair, "words": WordTokenizer}[request.param]()


def test_one_text_has_the_only_row(any_tokenizer):
    text = "the cats."
    for call in (any_tokenizer, any_tokenizer.tokenize_with_offsets):
        expected = tf.nest.flatten(call([text]))
        for one in (text, tf.constant(text)):
            found = tf.nest.flatten(call(one))
            for tensor, ragged in zip(found, expected, strict=True):
                assert isinstance(tensor, tf.Tensor)
                np.testing.assert_array_equal(tensor, ragged[0])


def test_one_text_is_packed_without_a_batch(tokenizer):
    preprocess = BertPreprocessor(tokenizer, seq_length=12)
    one = "the cat", tf.constant("cats.")
    for texts in (one[:1], one):
        expected = preprocess(*([text] for text in texts))
        for name, row in preprocess(*texts).items():
            np.testing.assert_array_equal(row, expected[name][0])
