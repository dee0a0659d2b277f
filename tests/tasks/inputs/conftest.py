"""Short sequences of a small vocabulary."""

import pytest

from keras_bert.tasks.inputs.answer_windows import WindowSizes
from keras_bert.tasks.inputs.question_preprocessor import QuestionPreprocessor
from keras_bert.template import Template
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_WORDS = "the a dog cat bird eats sees meat fish seeds . ##s".split()


@pytest.fixture
def preprocess():
    """Return a preprocessor of 10 tokens, with at most 2 for the question."""
    return QuestionPreprocessor(
        BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *_WORDS])),
        Template(),
        WindowSizes(10, doc_stride=3, max_query_length=2),
    )


@pytest.fixture
def words(preprocess):
    """Return a function from ids to tokens, without padding."""

    def words(ids):
        tokens = [preprocess.tokenizer.vocabulary.tokens[x] for x in ids]
        return " ".join(tokens).replace(" [PAD]", "")

    return words
