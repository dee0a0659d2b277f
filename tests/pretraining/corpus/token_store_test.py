import os

import numpy as np
import pytest

from keras_bert.pretraining.corpus import chunk_writer
from keras_bert.pretraining.corpus import token_store as corpus_module
from keras_bert.pretraining.corpus.chunk_writer import ChunkWriter
from keras_bert.pretraining.corpus.chunk_writer import batch_lines
from keras_bert.pretraining.corpus.documents import read_lines
from keras_bert.pretraining.corpus.token_store import CONTINUES
from keras_bert.pretraining.corpus.token_store import Corpus
from keras_bert.pretraining.corpus.token_store import is_joined
from keras_bert.pretraining.corpus.token_store import join_chunks
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_NO_TOKEN = "\u200b"  # Not white space, but removed from the text.


@pytest.fixture
def tokenize(tokenizer, tmp_path):
    """Tokenize files, one chunk each; return the corpus and the counts."""

    def tokenize(paths, tokenizer=tokenizer, segmented_words=False):
        counts = {}
        stems = [f"{tmp_path}/chunk-{number}" for number in range(len(paths))]
        for stem, path in zip(stems, paths):
            with ChunkWriter(stem, tokenizer, segmented_words) as writer:
                for batch in batch_lines(read_lines(path)):
                    for name, count in writer.write(batch).items():
                        counts[name] = counts.get(name, 0) + count
        assert not is_joined(tmp_path)
        join_chunks(stems, tmp_path)
        assert is_joined(tmp_path)
        size = len(tokenizer.vocabulary)
        return Corpus.open(tmp_path, size, segmented_words), counts

    return tokenize


def _ids(corpus):
    """Return the ids of a corpus as nested lists."""
    sentences = [
        corpus.tokens[start:end].tolist()
        for start, end in zip(corpus.sentences, corpus.sentences[1:])
    ]
    return [
        sentences[start:end]
        for start, end in zip(corpus.documents, corpus.documents[1:])
    ]


def test_offsets_lead_to_the_tokens_of_each_sentence(
    tokenize, tokenizer, make_documents, write_documents
):
    documents = make_documents(seed=1, num_documents=20)
    paths = [
        write_documents("a.txt", documents[:12]),
        write_documents("b.txt", documents[12:]),
    ]
    corpus, counts = tokenize(paths)
    ids = [tokenizer(d).to_list() for d in documents]
    assert _ids(corpus) == ids
    assert corpus.num_documents == counts["documents"] == 20
    num_sentences = sum(map(len, documents))
    assert len(corpus.sentences) - 1 == counts["sentences"] == num_sentences
    tokens = [token for document in ids for ids in document for token in ids]
    assert counts["tokens"] == len(tokens)
    assert counts["unknown"] == 0
    is_continuation = tokenizer.vocabulary.is_continuation
    assert counts["continuations"] == sum(is_continuation[t] for t in tokens)


def test_tokens_stay_on_disk(tokenize, write_documents, tmp_path):
    corpus, _ = tokenize([write_documents("a.txt", [["the dog"]])])
    assert not corpus.tokens.flags.owndata
    assert not corpus.tokens.flags.writeable
    assert corpus.tokens.dtype == np.uint16
    assert corpus.sentences.dtype == corpus.documents.dtype == np.int64
    assert sorted(os.listdir(tmp_path)) == [
        "a.txt",
        "documents.bin",
        "sentences.bin",
        "tokens.bin",
    ]


def test_pages_given_back_are_read_again(
    tokenize, make_documents, write_documents, monkeypatch
):
    monkeypatch.setattr(corpus_module, "_MAX_RESIDENT_BYTES", 0)
    corpus, _ = tokenize([write_documents("a.txt", make_documents(1, 500))])
    before = [
        array.copy()
        for array in (corpus.tokens, corpus.sentences, corpus.documents)
    ]
    corpus.release()
    after = corpus.tokens, corpus.sentences, corpus.documents
    for array, same in zip(after, before):
        np.testing.assert_array_equal(array, same)
    corpus.release()
    corpus.release()
    assert corpus.tokens[-1] == before[0][-1]


def test_sentences_without_a_token_are_dropped(
    tokenize, tokenizer, write_documents
):
    path = write_documents(
        "a.txt",
        [
            [_NO_TOKEN, "the dog", _NO_TOKEN, "a cat"],
            [_NO_TOKEN],
            ["a bird", _NO_TOKEN],
        ],
    )
    corpus, counts = tokenize([path])
    assert _ids(corpus) == [
        tokenizer(["the dog", "a cat"]).to_list(),
        tokenizer(["a bird"]).to_list(),
    ]
    assert (counts["documents"], counts["sentences"]) == (2, 3)


@pytest.mark.parametrize("batch_bytes", [1, 7, 100, 10_000])
@pytest.mark.parametrize("segmented_words", [False, True])
def test_documents_do_not_depend_on_the_batches(
    tokenize,
    tokenizer,
    make_documents,
    write_documents,
    monkeypatch,
    batch_bytes,
    segmented_words,
):
    documents = make_documents(seed=2, num_documents=15)
    documents.insert(3, [_NO_TOKEN])
    documents.insert(0, [_NO_TOKEN, "the house"])
    monkeypatch.setattr(chunk_writer, "_BATCH_BYTES", batch_bytes)
    path = write_documents("a.txt", documents)
    corpus, counts = tokenize([path], segmented_words=segmented_words)
    expected = [tokenizer(d).to_list() for d in documents]
    expected = [[s for s in d if s] for d in expected]
    expected = [d for d in expected if d]
    if segmented_words:
        is_continuation = np.array(tokenizer.vocabulary.is_continuation)
        np.testing.assert_array_equal(
            corpus.tokens >= CONTINUES,
            is_continuation[corpus.tokens & (CONTINUES - 1)],
        )
        corpus.tokens = corpus.tokens & (CONTINUES - 1)
    assert _ids(corpus) == expected
    assert counts["documents"] == len(expected)
    assert counts["sentences"] == sum(map(len, expected))


@pytest.mark.parametrize(
    ("size", "dtype"), [(1 << 16, np.uint16), ((1 << 16) + 1, np.uint32)]
)
def test_ids_have_room(tokenize, write_documents, size, dtype):
    fillers = [f"word{index}" for index in range(size - 6)]
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *fillers, "last"])
    path = write_documents("a.txt", [["word0 last"]])
    corpus, _ = tokenize([path], BertTokenizer(vocabulary))
    assert corpus.tokens.tolist() == [5, size - 1]
    assert corpus.tokens.dtype == dtype


def _continues(tokenize, write_documents, documents):
    """Return for each document whether its tokens continue a word."""
    characters = sorted({*"".join(map("".join, documents))} - {" "})
    vocabulary = Vocabulary(
        [*SPECIAL_TOKENS, *(c for c in characters if c.isprintable())]
    )
    corpus, counts = tokenize(
        [write_documents("a.txt", documents)],
        BertTokenizer(vocabulary),
        segmented_words=True,
    )
    bits = (corpus.tokens >= CONTINUES).astype(int)
    assert counts["continuations"] == bits.sum()
    ends = corpus.sentences[corpus.documents[1:-1]]
    return [part.tolist() for part in np.split(bits, ends)]


@pytest.mark.parametrize(
    ("documents", "bits"),
    [
        (
            [["我们 喜欢 北京大学", "狗"], ["喜欢,北京 大学."], ["狗", "我们"]],
            [[0, 1, 0, 1, 0, 1, 1, 1, 0], [0, 1, 1, 1, 1, 0, 1, 1], [0, 0, 1]],
        ),
        *(
            (
                [[f"我们{space}喜欢", f"北{space}京"], ["狗"]],
                [[0, 1, 0, 1, 0, 0], [0]],
            )
            for space in ("\t", "\u3000", "\xa0", "\u2009", " \u3000")
        ),
        (
            [["我\u200b们 \u200b喜\ufeff欢", "\u200b北"], ["狗"]],
            [[0, 1, 0, 1, 0], [0]],
        ),
    ],
)
def test_only_white_space_divides_segmented_words(
    tokenize, write_documents, documents, bits
):
    assert _continues(tokenize, write_documents, documents) == bits


def test_a_corpus_in_memory_is_that_of_the_files(tokenize, tokenizer, tmp_path):
    documents = [["the cat.", "cats"], ["the"]]
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join("\n".join(x) for x in documents))
    expected, _ = tokenize([str(path)])
    sentences = tokenizer([x for document in documents for x in document])
    found = Corpus.of_lengths(
        sentences.values.numpy().astype("uint16"),
        sentences.row_lengths(),
        [len(document) for document in documents],
    )
    for name in ("tokens", "sentences", "documents"):
        values = getattr(found, name)
        np.testing.assert_array_equal(values, getattr(expected, name))
        assert values.dtype == getattr(expected, name).dtype
