"""A small vocabulary and texts of its words."""

import numpy as np
import pytest

from keras_bert.files.tfrecord import write_records
from keras_bert.pretraining.corpus.token_store import Corpus
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_WORDS = (
    "the a red green blue big small dog cat bird fish house sees likes finds "
    "takes old new quick slow"
).split()
_ENDINGS = ("##s", "##er")


@pytest.fixture(scope="session")
def vocabulary():
    return Vocabulary([*SPECIAL_TOKENS, *_WORDS, *_ENDINGS])


@pytest.fixture(scope="session")
def tokenizer(vocabulary):
    return BertTokenizer(vocabulary)


@pytest.fixture(scope="session")
def vocab_file(vocabulary, tmp_path_factory):
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    vocabulary.save(path)
    return str(path)


@pytest.fixture
def make_documents():
    """Return documents, lists of random sentences without unknown words."""

    def make(seed, num_documents, max_sentences=6, max_words=9):
        rng = np.random.default_rng(seed)

        def sentence():
            words = rng.choice(_WORDS, rng.integers(1, max_words + 1))
            endings = rng.choice(["", "", "", "s", "ers"], len(words))
            return " ".join(w + e for w, e in zip(words, endings))

        return [
            [sentence() for _ in range(rng.integers(1, max_sentences + 1))]
            for _ in range(num_documents)
        ]

    return make


@pytest.fixture
def write_documents(tmp_path):
    """Write documents in the published format and return the path."""

    def write(name, documents):
        path = tmp_path / name
        text = "\n\n".join("\n".join(document) for document in documents)
        path.write_text(text + "\n", encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def make_corpus():
    """Return a `Corpus` of given sentence lengths; its ids count up from 0."""

    def make(documents):
        lengths = [length for document in documents for length in document]
        return Corpus(
            np.arange(sum(lengths), dtype=np.uint32),
            np.cumsum([0, *lengths]),
            np.cumsum([0, *map(len, documents)]),
        )

    return make


@pytest.fixture
def write_record_file(tmp_path):
    """Write records (bytes) and return the path."""

    def write(name, records):
        path = tmp_path / name
        with open(path, "wb") as file:
            write_records(file, records)
        return str(path)

    return write
