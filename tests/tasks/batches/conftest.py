"""Tokenizer of the pre-training tests."""

from tests.pretraining.conftest import tokenizer
from tests.pretraining.conftest import vocabulary

__all__ = ["tokenizer", "vocabulary"]
