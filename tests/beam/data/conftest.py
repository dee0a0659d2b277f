# ruff: noqa: F401, F811

import pytest

from tests.pretraining.conftest import make_documents
from tests.pretraining.conftest import tokenizer
from tests.pretraining.conftest import vocab_file
from tests.pretraining.conftest import vocabulary
from tests.pretraining.conftest import write_documents


@pytest.fixture
def corpus_files(make_documents, write_documents):
    """Write two files, with words, sentences and documents without tokens."""
    first = write_documents("a.txt", make_documents(1, 90))
    with open(first, "a", encoding="utf-8") as file:
        file.write("\n \n\N{ZERO WIDTH SPACE}\n\n\nthe unheard dog\n\u200b\n")
    return [first, write_documents("b.txt", make_documents(2, 70))]
