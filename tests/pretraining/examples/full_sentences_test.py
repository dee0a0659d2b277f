import numpy as np
import pytest

from keras_bert.pretraining.examples.full_sentences import sample_doc_sentences
from keras_bert.pretraining.examples.full_sentences import sample_full_sentences
from keras_bert.pretraining.examples.segments import copy_tokens

_SEP = 9_999_999


@pytest.fixture(
    params=[
        (sampler, seed)
        for sampler in (sample_full_sentences, sample_doc_sentences)
        for seed in range(20)
    ],
    ids=lambda param: f"{param[0].__name__}-{param[1]}",
)
def packed(request, make_corpus):
    """Return a random corpus, the limit, the sampler and its output."""
    sampler, seed = request.param
    rng = np.random.default_rng(seed)
    corpus = make_corpus(
        [
            rng.integers(1, 13, rng.integers(1, 9))
            for _ in range(rng.integers(1, 60))
        ]
    )
    limit = int(rng.integers(2, 40))
    documents = np.arange(corpus.num_documents)
    segments = sampler(corpus, documents, limit)
    copied, segments = copy_tokens(corpus, segments, _SEP)
    texts = [
        copied.tokens[start:][:length].tolist()
        for start, length in zip(segments.first_start, segments.first_length)
    ]
    assert not segments.second_length.any() and not segments.label.any()
    return corpus, limit, sampler, texts


def _edges(corpus):
    """Return the first tokens of sentences and of documents as sets."""
    return {*corpus.sentences[:-1]}, {*corpus.sentences[corpus.documents[:-1]]}


def test_each_token_is_there_once_in_the_order_of_the_text(packed):
    corpus, _, _, texts = packed
    tokens = [token for text in texts for token in text if token != _SEP]
    assert tokens == corpus.tokens.tolist()


def test_no_text_is_longer_than_the_limit(packed):
    _, limit, _, texts = packed
    assert all(0 < len(text) <= limit for text in texts)


def test_only_a_sentence_beyond_the_limit_is_cut(packed):
    corpus, limit, _, texts = packed
    lengths = dict(zip(corpus.sentences, np.diff(corpus.sentences)))
    starts, _ = _edges(corpus)
    for text in texts:
        if text[0] not in starts:
            start = max(x for x in starts if x < text[0])
            assert lengths[start] > limit
            assert (text[0] - start) % limit == 0


def test_one_separator_stands_where_documents_meet(packed):
    corpus, _, sampler, texts = packed
    _, starts = _edges(corpus)
    num_met = 0
    for text in texts:
        assert _SEP not in (text[0], text[-1])
        for before, after in zip(text, text[1:]):
            assert (before == _SEP) == (after in starts)
            num_met += before == _SEP
    if sampler is sample_doc_sentences:
        assert not num_met


def test_no_further_sentence_would_fit(packed):
    corpus, limit, sampler, texts = packed
    starts, of_documents = _edges(corpus)
    lengths = dict(zip(corpus.sentences, np.diff(corpus.sentences)))
    for text, following in zip(texts, texts[1:]):
        first = following[0]
        if first in of_documents and sampler is sample_doc_sentences:
            continue
        if first in starts:
            size = min(lengths[first], limit) + (first in of_documents)
            assert len(text) + size > limit


def test_documents_meet_in_full_sentences(make_corpus):
    corpus = make_corpus([[2], [1, 1], [3]])
    segments = sample_full_sentences(corpus, np.arange(3), 6)
    copied, segments = copy_tokens(corpus, segments, _SEP)
    assert copied.tokens.tolist() == [0, 1, _SEP, 2, 3, 4, 5, 6]
    assert segments.first_length.tolist() == [5, 3]
    assert segments.num_tokens.tolist() == [7, 5]


def test_only_the_documents_asked_for_are_packed(make_corpus):
    corpus = make_corpus([[2], [3], [4], [5]])
    for sampler in (sample_full_sentences, sample_doc_sentences):
        segments = sampler(corpus, np.array([1, 2]), 50)
        assert segments.first_start[0] == 2
        assert segments.first_length.sum() == 7
