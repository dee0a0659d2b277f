"""A tiny BERT with random weights to export."""

import pytest


@pytest.fixture(scope="module")
def bert(make_bert):
    return make_bert()
