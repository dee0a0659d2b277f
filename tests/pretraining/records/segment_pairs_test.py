import functools
import random

import numpy as np
import pytest

from keras_bert.pretraining.records.segment_pairs import in_order_or_swapped
from keras_bert.pretraining.records.segment_pairs import sample_segment_pairs
from keras_bert.pretraining.records.segment_pairs import sample_sentence_pairs


def _random_lengths(rng, num_documents):
    return [
        rng.integers(1, 13, rng.integers(1, 10)) for _ in range(num_documents)
    ]


@pytest.fixture
def corpus(make_corpus):
    """Return 400 documents of 1 to 9 sentences of 1 to 12 tokens."""
    return make_corpus(_random_lengths(np.random.default_rng(3), 400))


def _sample(corpus, limit, short=0.2, seed=1, **decide):
    documents = np.arange(corpus.num_documents)
    rng = np.random.default_rng(seed)
    return sample_segment_pairs(corpus, documents, limit, short, rng, **decide)


_order = functools.partial(_sample, decide=in_order_or_swapped)


def _sentence_pairs(corpus, limit):
    documents = np.arange(corpus.num_documents)
    rng = np.random.default_rng(1)
    return sample_sentence_pairs(corpus, documents, limit, rng)


def _document_of(corpus, tokens):
    ends = corpus.sentences[corpus.documents[1:]]
    return np.searchsorted(ends, tokens, side="right")


def _is_random(corpus, pairs):
    """Return whether A and B are of different documents."""
    return _document_of(corpus, pairs.first_start) != _document_of(
        corpus, pairs.second_start
    )


def _parts(pairs):
    return (
        (pairs.first_start, pairs.first_length),
        (pairs.second_start, pairs.second_length),
    )


_ALL = pytest.mark.parametrize("sample", [_sample, _order, _sentence_pairs])


@_ALL
@pytest.mark.parametrize("limit", [2, 9, 30])
def test_parts_fit_and_lie_within_one_document(corpus, sample, limit):
    pairs = sample(corpus, limit)
    assert (pairs.first_length + pairs.second_length).max() <= limit
    for start, length in _parts(pairs):
        assert length.min() >= 1
        np.testing.assert_array_equal(
            _document_of(corpus, start),
            _document_of(corpus, start + length - 1),
        )
    is_random = _is_random(corpus, pairs)
    if sample is _order:
        assert pairs.label[is_random].all()
        return
    np.testing.assert_array_equal(pairs.label, is_random)
    # B that is not random follows A, up to truncated tokens.
    pairs = pairs[~is_random]
    end = pairs.first_start + pairs.first_length
    boundary = corpus.sentences[np.searchsorted(corpus.sentences, end)]
    assert np.all(boundary <= pairs.second_start)
    is_cut = pairs.first_length + pairs.second_length == limit
    assert np.all(is_cut | (end == pairs.second_start))


@_ALL
def test_each_token_is_used_once_where_nothing_is_cut(corpus, sample):
    pairs = sample(corpus, 10_000)
    is_random = _is_random(corpus, pairs)
    uses = np.zeros(len(corpus.tokens), int)
    for row in range(len(pairs)):
        uses[pairs.first_start[row] :][: pairs.first_length[row]] += 1
        if not is_random[row]:
            uses[pairs.second_start[row] :][: pairs.second_length[row]] += 1
    assert (uses == 1).all()
    assert not pairs.num_cut.any()


def test_a_random_b_may_come_from_every_other_document(make_corpus):
    corpus = make_corpus([[1]] * 4)
    seen = set()
    for seed in range(100):
        pairs = _sample(corpus, 10, 0.0, seed)
        assert pairs.label.all() and len(pairs) == 4
        seen |= set(zip(pairs.first_start, pairs.second_start))
    assert seen == {(a, b) for a in range(4) for b in range(4) if a != b}


def test_the_label_tells_the_order_of_two_neighbours(corpus):
    pairs = _order(corpus, 10_000)
    pairs = pairs[~_is_random(corpus, pairs)]
    first_end = pairs.first_start + pairs.first_length
    second_end = pairs.second_start + pairs.second_length
    np.testing.assert_array_equal(
        np.where(pairs.label, second_end, first_end),
        np.where(pairs.label, pairs.first_start, pairs.second_start),
    )
    assert len(pairs) > 300
    assert pairs.label.mean() == pytest.approx(0.5, abs=0.08)


def test_cutting_does_not_tell_the_label(make_corpus):
    # 8 + 15 tokens are truncated to 9: the first part keeps one more token.
    pairs = _order(make_corpus([[8, 15]] * 3000), 9, short=0.0)
    pairs = pairs[pairs.num_cut == 14]
    for label in (False, True):
        rows = pairs[pairs.label == label]
        assert len(rows) > 500
        assert {*rows.first_length} == {5}
        assert {*rows.second_length} == {4}


def test_only_a_chunk_of_one_sentence_gets_another_document(corpus):
    pairs = _order(corpus, 10_000, short=0.0)
    pairs = pairs[_is_random(corpus, pairs)]
    documents = _document_of(corpus, pairs.first_start)
    np.testing.assert_array_equal(
        np.sort(documents), np.flatnonzero(np.diff(corpus.documents) == 1)
    )


def test_sentence_pairs_are_two_whole_sentences(corpus, make_corpus):
    pairs = _sentence_pairs(corpus, 10_000)
    lengths = dict(zip(corpus.sentences, np.diff(corpus.sentences)))
    for start, length in _parts(pairs):
        assert [lengths[x] for x in start] == length.tolist()
    # In documents of many sentences, half of the second ones are random.
    pairs = _sentence_pairs(make_corpus([[2] * 200] * 50), 10)
    assert pairs.label.mean() == pytest.approx(0.5, abs=0.03)


def _published_pairs(documents, max_num_tokens, short_seq_prob, rng):
    """Yield pairs by the procedure of google-research/bert.

    Documents are lists of sentences, which are lists of tokens. A pair is A,
    B and whether B is random.
    """
    for index, document in enumerate(documents):
        target = max_num_tokens
        if rng.random() < short_seq_prob:
            target = rng.randint(2, max_num_tokens)
        position = 0
        while position < len(document):
            chunk = []
            while position < len(document) and sum(map(len, chunk)) < target:
                chunk.append(document[position])
                position += 1
            split = 1 if len(chunk) == 1 else rng.randint(1, len(chunk) - 1)
            first = sum(chunk[:split], [])
            second = sum(chunk[split:], [])
            is_random = len(chunk) == 1 or rng.random() < 0.5
            if is_random:
                other = rng.choice(
                    [i for i in range(len(documents)) if i != index]
                )
                second = _some_sentences(
                    documents[other], target - len(first), rng
                )
                position -= len(chunk) - split
            _truncate_pair(first, second, max_num_tokens, rng)
            yield first, second, is_random


def _some_sentences(document, num_tokens, rng):
    tokens = []
    for sentence in document[rng.randint(0, len(document) - 1) :]:
        tokens = tokens + sentence
        if len(tokens) >= num_tokens:
            break
    return tokens


def _truncate_pair(first, second, max_num_tokens, rng):
    while len(first) + len(second) > max_num_tokens:
        longer = first if len(first) > len(second) else second
        longer.pop(0 if rng.random() < 0.5 else -1)


def _statistics(corpus, pairs):
    """Return averages that both implementations must agree on."""
    parts = [[part for part, *_ in pairs], [part for _, part, _ in pairs]]
    first, second = np.array([[len(x) for x in side] for side in parts])
    is_random = np.array([is_random for *_, is_random in pairs])
    total = first + second
    # Shares of segments that begin with a sentence.
    whole = [np.isin([x[0] for x in side], corpus.sentences) for side in parts]
    return [
        len(total),
        is_random.mean(),
        first.mean(),
        second.mean(),
        total.std(),
        np.abs(first - second).mean(),
        second[is_random].mean(),
        *np.mean(whole, axis=1),
    ]


@pytest.mark.parametrize(
    ("max_num_tokens", "short_seq_prob"), [(13, 0.8), (30, 0.1)]
)
def test_pairs_are_distributed_as_published(
    make_corpus, max_num_tokens, short_seq_prob
):
    num_runs = 500
    corpus = make_corpus(_random_lengths(np.random.default_rng(7), 25))
    sentences = np.split(corpus.tokens, corpus.sentences[1:-1])
    sentences = [sentence.tolist() for sentence in sentences]
    documents = [
        sentences[start:end]
        for start, end in zip(corpus.documents, corpus.documents[1:])
    ]
    ours, published = [], []
    for seed in range(num_runs):
        sampled = _sample(corpus, max_num_tokens, short_seq_prob, seed)
        texts = [
            [corpus.tokens[a:][:n] for a, n in zip(starts, lengths)]
            for starts, lengths in _parts(sampled)
        ]
        ours.append(_statistics(corpus, [*zip(*texts, sampled.label)]))
        pairs = _published_pairs(
            documents, max_num_tokens, short_seq_prob, random.Random(seed)
        )
        published.append(_statistics(corpus, [*pairs]))
    ours, published = np.array(ours), np.array(published)
    error = np.sqrt((ours.var(0) + published.var(0)) / num_runs)
    difference = (ours.mean(0) - published.mean(0)) / error
    assert np.abs(difference).max() < 5, difference
