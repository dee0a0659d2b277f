"""A tiny BERT with random weights to export."""

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.config import BertConfig
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.vocabulary import SPECIAL_TOKENS

_WORDS = "the a dog cat bird eats sees meat fish seeds and . ##s".split()


@pytest.fixture(scope="module")
def make_bert():
    def make(**changes):
        values = {
            "vocab_size": len(SPECIAL_TOKENS) + len(_WORDS),
            "hidden_size": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 32,
            "max_position_embeddings": 12,
            "initializer_range": 0.5,
        }
        return PretrainedModel.from_config(
            BertConfig(**{**values, **changes}),
            BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *_WORDS])),
        )

    return make


@pytest.fixture(scope="module")
def bert(make_bert):
    return make_bert()
