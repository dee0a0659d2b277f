import os

import numpy as np
import pytest

from keras_bert.data import corpus as corpus_module
from keras_bert.data.corpus import tokenize_corpus
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.vocabulary import SPECIAL_TOKENS

_NO_TOKEN = "\u3000"  # White space that no line is stripped of.


def _ids(corpus):
    """The ids of a corpus as nested lists."""
    sentences = [
        corpus.tokens[start:end].tolist()
        for start, end in zip(corpus.sentences, corpus.sentences[1:])
    ]
    return [
        sentences[start:end]
        for start, end in zip(corpus.documents, corpus.documents[1:])
    ]


def test_offsets_lead_to_the_tokens_of_each_sentence(
    tokenizer, make_documents, write_documents, tmp_path
):
    documents = make_documents(seed=1, num_documents=20)
    paths = [
        write_documents("a.txt", documents[:12]),
        write_documents("b.txt", documents[12:]),
    ]
    corpus = tokenize_corpus(paths, tokenizer, tmp_path)
    assert _ids(corpus) == [tokenizer(d).to_list() for d in documents]
    assert corpus.num_documents == 20
    assert corpus.num_sentences == sum(map(len, documents))


def test_tokens_stay_on_disk(tokenizer, write_documents, tmp_path):
    path = write_documents("a.txt", [["the dog"]])
    corpus = tokenize_corpus([path], tokenizer, tmp_path)
    assert isinstance(corpus.tokens, np.memmap)
    assert os.path.dirname(corpus.tokens.filename) == str(tmp_path)
    assert corpus.tokens.dtype == np.uint16
    assert corpus.sentences.dtype == corpus.documents.dtype == np.int64


def test_sentences_without_a_token_are_dropped(
    tokenizer, write_documents, tmp_path
):
    path = write_documents(
        "a.txt",
        [
            [_NO_TOKEN, "the dog", _NO_TOKEN, "a cat"],
            [_NO_TOKEN],
            ["a bird", _NO_TOKEN],
        ],
    )
    corpus = tokenize_corpus([path], tokenizer, tmp_path)
    assert _ids(corpus) == [
        tokenizer(["the dog", "a cat"]).to_list(),
        tokenizer(["a bird"]).to_list(),
    ]


@pytest.mark.parametrize("batch_bytes", [1, 7, 100, 10_000])
def test_documents_do_not_depend_on_the_batches(
    tokenizer,
    make_documents,
    write_documents,
    tmp_path,
    monkeypatch,
    batch_bytes,
):
    documents = make_documents(seed=2, num_documents=15)
    documents.insert(3, [_NO_TOKEN])
    documents.insert(0, [_NO_TOKEN, "the house"])
    monkeypatch.setattr(corpus_module, "_BATCH_BYTES", batch_bytes)
    path = write_documents("a.txt", documents)
    corpus = tokenize_corpus([path], tokenizer, tmp_path)
    expected = [tokenizer(d).to_list() for d in documents]
    expected = [[s for s in d if s] for d in expected]
    assert _ids(corpus) == [d for d in expected if d]


@pytest.mark.parametrize("text", ["", "\n\n", f"{_NO_TOKEN}\n"])
def test_no_text_at_all_is_an_error(tokenizer, tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"no word in 1 file.*a\.txt"):
        tokenize_corpus([str(path)], tokenizer, tmp_path)


def test_large_vocabularies_have_room_for_their_ids(write_documents, tmp_path):
    fillers = [f"word{index}" for index in range((1 << 16) - 5)]
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *fillers, "last"])
    path = write_documents("a.txt", [["word0 last"]])
    corpus = tokenize_corpus([path], BertTokenizer(vocabulary), tmp_path)
    assert corpus.tokens.tolist() == [5, 1 << 16]
    assert corpus.tokens.dtype == np.uint32
