"""A tiny BERT with random weights and its own vocabulary."""

import keras
import pytest

from keras_bert.text import BertTokenizer


@pytest.fixture
def bert(make_bert):
    return make_bert()


@pytest.fixture
def berts(make_bert):
    """Return two models; the second one is cased."""
    keras.utils.set_random_seed(1)
    first, second = make_bert(), make_bert()
    vocabulary = second.tokenizer.vocabulary
    cased = BertTokenizer(vocabulary, lowercase=False)
    return first, second.with_tokenizer(cased)
