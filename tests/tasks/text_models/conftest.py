"""A tiny BERT with random weights to make Keras models of."""

import pytest


@pytest.fixture(scope="module")
def bert(make_bert):
    return make_bert()
