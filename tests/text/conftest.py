"""A small vocabulary whose ids can be worked out by hand."""

import pytest
import tensorflow as tf

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.vocabulary import SPECIAL_TOKENS

_PIECES = (
    *SPECIAL_TOKENS,
    *("the", "cat", "##s", "c", "##at", "cafe", "un", "##aff", "##able"),
    *(",", ".", "[", "]", "mask", "中", "文", "##a"),
)


@pytest.fixture(scope="session")
def vocabulary():
    return Vocabulary(_PIECES)


@pytest.fixture(scope="session")
def tokenizer(vocabulary):
    return BertTokenizer(vocabulary)


@pytest.fixture(scope="session")
def in_tf_data():
    """What a function of texts gives inside `tf.data`; traced once."""
    traced = {}

    def in_tf_data(function, texts):
        if function not in traced:
            traced[function] = tf.function(
                function, input_signature=[tf.TensorSpec([None], tf.string)]
            )
        dataset = tf.data.Dataset.from_tensors(tf.constant(texts, tf.string))
        return next(iter(dataset.map(traced[function])))

    return in_tf_data
