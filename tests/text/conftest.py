"""A small vocabulary whose ids can be worked out by hand."""

import pytest

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
