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


@pytest.mark.parametrize("batch_bytes", [1, 100])
@pytest.mark.parametrize("segmented_words", [False, True])
def test_offsets_lead_to_the_tokens_of_each_sentence(
    tokenize,
    tokenizer,
    make_documents,
    write_documents,
    monkeypatch,
    batch_bytes,
    segmented_words,
):
    """Documents of two files are joined; those without tokens are dropped."""
    documents = make_documents(seed=2, num_documents=8)
    documents.insert(3, [_NO_TOKEN])
    documents.insert(0, [_NO_TOKEN, "the house", _NO_TOKEN, "a cat"])
    monkeypatch.setattr(chunk_writer, "_BATCH_BYTES", batch_bytes)
    paths = [
        write_documents("a.txt", documents[:5]),
        write_documents("b.txt", documents[5:]),
    ]
    corpus, counts = tokenize(paths, segmented_words=segmented_words)
    expected = [tokenizer(d).to_list() for d in documents]
    expected = [[s for s in d if s] for d in expected]
    expected = [d for d in expected if d]
    tokens = np.concatenate(sum(expected, []))
    continues = np.array(tokenizer.vocabulary.is_continuation)[tokens]
    marks = np.where(continues & segmented_words, CONTINUES, 0)
    np.testing.assert_array_equal(corpus.tokens, tokens + marks)
    corpus.tokens = tokens
    assert _ids(corpus) == expected
    assert corpus.num_documents == len(expected)
    assert counts == {
        "documents": len(expected),
        "sentences": sum(map(len, expected)),
        "tokens": len(tokens),
        "unknown": 0,
        "continuations": continues.sum(),
    }
    # The same corpus in memory.
    lengths = [len(sentence) for document in expected for sentence in document]
    found = Corpus.of_lengths(tokens, lengths, [*map(len, expected)])
    for name in ("sentences", "documents"):
        values = getattr(found, name)
        np.testing.assert_array_equal(values, getattr(corpus, name))
        assert values.dtype == getattr(corpus, name).dtype == np.int64


def test_tokens_stay_on_disk_and_are_read_again(
    tokenize, make_documents, write_documents, tmp_path, monkeypatch
):
    monkeypatch.setattr(corpus_module, "_MAX_RESIDENT_BYTES", 0)
    corpus, _ = tokenize([write_documents("a.txt", make_documents(1, 500))])
    assert not corpus.tokens.flags.owndata
    assert not corpus.tokens.flags.writeable
    names = ["documents.bin", "sentences.bin", "tokens.bin"]
    assert sorted(os.listdir(tmp_path)) == ["a.txt", *names]
    arrays = corpus.tokens, corpus.sentences, corpus.documents
    before = [array.copy() for array in arrays]
    for _ in range(2):
        corpus.release()
        for array, same in zip(arrays, before):
            np.testing.assert_array_equal(array, same)


def test_only_white_space_divides_segmented_words(tokenize, write_documents):
    spaces = ("\t", "\u3000", "\xa0", "\u2009", " \u3000")
    documents = [
        ["我们 喜欢 北京大学", "狗"],
        ["喜欢,北京 大学."],
        *([f"我们{space}喜欢", f"北{space}京"] for space in spaces),
        ["我\u200b们 \u200b喜\ufeff欢", "\u200b北"],
    ]
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *"我们喜欢北京大学狗,."])
    corpus, counts = tokenize(
        [write_documents("a.txt", documents)],
        BertTokenizer(vocabulary),
        segmented_words=True,
    )
    bits = (corpus.tokens >= CONTINUES).astype(int)
    assert counts["continuations"] == bits.sum()
    ends = corpus.sentences[corpus.documents[1:-1]]
    assert [part.tolist() for part in np.split(bits, ends)] == [
        [0, 1, 0, 1, 0, 1, 1, 1, 0],
        [0, 1, 1, 1, 1, 0, 1, 1],
        *[[0, 1, 0, 1, 0, 0]] * len(spaces),
        [0, 1, 0, 1, 0],
    ]
