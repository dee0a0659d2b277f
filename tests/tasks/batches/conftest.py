"""The tokenizer of the tests of pre-training."""

from tests.pretraining.conftest import tokenizer
from tests.pretraining.conftest import vocabulary

__all__ = ["tokenizer", "vocabulary"]
