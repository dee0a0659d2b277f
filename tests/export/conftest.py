"""A tiny BERT with random weights to export."""

import keras
import pytest


@pytest.fixture(scope="module")
def bert(make_bert):
    return make_bert()


@pytest.fixture
def narrow_bert(make_bert):
    """One in bfloat16, wide enough for most of its bytes to be weights."""
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    yield make_bert(max_position_embeddings=40, hidden_size=256)
    keras.config.set_dtype_policy(policy)
