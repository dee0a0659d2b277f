"""A tiny BERT with random weights and its own vocabulary."""

import functools

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


@pytest.fixture
def eager_steps(monkeypatch):
    """Train without tracing, which takes longer than a few small steps."""
    compiled = functools.partialmethod(keras.Model.compile, run_eagerly=True)
    monkeypatch.setattr(keras.Model, "compile", compiled)
