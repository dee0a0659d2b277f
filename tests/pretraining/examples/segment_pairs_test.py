import random

import numpy as np
import pytest

from keras_bert.pretraining.examples.segment_pairs import sample_segment_pairs
from keras_bert.pretraining.examples.segment_pairs import split_documents


def _random_lengths(rng, num_documents, max_sentences=9, max_length=12):
    return [
        rng.integers(1, max_length + 1, rng.integers(1, max_sentences + 1))
        for _ in range(num_documents)
    ]


def _sample(corpus, max_num_tokens, short_seq_prob, seed):
    return sample_segment_pairs(
        corpus,
        np.arange(corpus.num_documents),
        max_num_tokens,
        short_seq_prob,
        np.random.default_rng(seed),
    )


def _document_of(corpus, tokens):
    ends = corpus.sentences[corpus.documents[1:]]
    return np.searchsorted(ends, tokens, side="right")


@pytest.fixture(params=range(40))
def sampled(request, make_corpus):
    """Return a random corpus, its limit and its pairs."""
    rng = np.random.default_rng(request.param)
    corpus = make_corpus(_random_lengths(rng, rng.integers(2, 30)))
    limit = int(rng.integers(2, 40))
    return corpus, limit, _sample(corpus, limit, 0.3, request.param)


def test_every_pair_fits_and_has_two_parts(sampled):
    _, limit, pairs = sampled
    assert pairs.first_length.min() >= 1
    assert pairs.second_length.min() >= 1
    assert (pairs.first_length + pairs.second_length).max() <= limit


def test_each_part_lies_within_one_document(sampled):
    corpus, _, pairs = sampled
    for start, length in (
        (pairs.first_start, pairs.first_length),
        (pairs.second_start, pairs.second_length),
    ):
        np.testing.assert_array_equal(
            _document_of(corpus, start),
            _document_of(corpus, start + length - 1),
        )


def test_b_is_random_where_it_is_from_another_document(sampled):
    corpus, _, pairs = sampled
    np.testing.assert_array_equal(
        pairs.label,
        _document_of(corpus, pairs.first_start)
        != _document_of(corpus, pairs.second_start),
    )


def test_b_that_is_not_random_follows_a_up_to_truncation(sampled):
    corpus, limit, pairs = sampled
    pairs = pairs[~pairs.label]
    end = pairs.first_start + pairs.first_length
    # A sentence ends between the two, up to truncated tokens.
    boundary = corpus.sentences[np.searchsorted(corpus.sentences, end)]
    assert np.all(boundary <= pairs.second_start)
    is_cut = pairs.first_length + pairs.second_length == limit
    assert np.all(is_cut | (end == pairs.second_start))


def _uses(corpus, pairs):
    """Count how often each token of the corpus is in A or in a true B."""
    uses = np.zeros(len(corpus.tokens), int)
    for row in range(len(pairs)):
        uses[pairs.first_start[row] :][: pairs.first_length[row]] += 1
        if not pairs.label[row]:
            uses[pairs.second_start[row] :][: pairs.second_length[row]] += 1
    return uses


@pytest.mark.parametrize("seed", range(10))
def test_every_sentence_is_used_once_before_the_cut(make_corpus, seed):
    rng = np.random.default_rng(seed)
    corpus = make_corpus(_random_lengths(rng, 20))
    pairs = split_documents(
        corpus, np.arange(20), lambda rows, _: rows + 2, 10_000, rng
    )
    assert np.all(_uses(corpus, pairs) == 1)


def test_documents_of_one_sentence_always_get_a_random_b(make_corpus):
    corpus = make_corpus([[4]] * 50)
    pairs = _sample(corpus, 10, 0.5, seed=1)
    assert len(pairs) == 50
    assert pairs.label.all()


def test_a_random_b_may_come_from_every_other_document(make_corpus):
    corpus = make_corpus([[1]] * 4)
    seen = set()
    for seed in range(100):
        pairs = _sample(corpus, 10, 0.0, seed)
        seen |= set(zip(pairs.first_start, pairs.second_start))
    assert seen == {(a, b) for a in range(4) for b in range(4) if a != b}


def test_only_the_documents_asked_for_are_walked(make_corpus):
    corpus = make_corpus([[2, 3, 2]] * 6)
    pairs = sample_segment_pairs(
        corpus, np.array([1, 4]), 20, 0.1, np.random.default_rng(1)
    )
    assert set(_document_of(corpus, pairs.first_start)) == {1, 4}


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


def _statistics(first_length, second_length, is_random, starts_whole):
    """Return averages that both implementations must agree on."""
    total = first_length + second_length
    return [
        len(total),
        is_random.mean(),
        first_length.mean(),
        second_length.mean(),
        total.mean(),
        total.std(),
        np.abs(first_length - second_length).mean(),
        second_length[is_random].mean(),
        starts_whole[0].mean(),
        starts_whole[1].mean(),
    ]


@pytest.mark.parametrize("short_seq_prob", [0.1, 0.8])
@pytest.mark.parametrize("max_num_tokens", [13, 30])
def test_pairs_are_distributed_as_published(
    make_corpus, max_num_tokens, short_seq_prob
):
    num_runs = 500
    lengths = _random_lengths(np.random.default_rng(7), 25)
    corpus = make_corpus(lengths)

    def starts_whole(*starts):
        """Return whether segments start with a sentence, without truncation."""
        return [np.isin(start, corpus.sentences) for start in starts]

    ours = []
    for seed in range(num_runs):
        pairs = _sample(corpus, max_num_tokens, short_seq_prob, seed)
        ours.append(
            _statistics(
                pairs.first_length,
                pairs.second_length,
                pairs.label,
                starts_whole(pairs.first_start, pairs.second_start),
            )
        )
    sentences = np.split(corpus.tokens, corpus.sentences[1:-1])
    sentences = [sentence.tolist() for sentence in sentences]
    documents = [
        sentences[start:end]
        for start, end in zip(corpus.documents, corpus.documents[1:])
    ]
    published = []
    for seed in range(num_runs):
        rng = random.Random(seed)
        first, second, is_random = zip(
            *_published_pairs(documents, max_num_tokens, short_seq_prob, rng)
        )
        published.append(
            _statistics(
                np.array([len(tokens) for tokens in first]),
                np.array([len(tokens) for tokens in second]),
                np.array(is_random),
                starts_whole([f[0] for f in first], [s[0] for s in second]),
            )
        )
    ours, published = np.array(ours), np.array(published)
    error = np.sqrt((ours.var(0) + published.var(0)) / num_runs)
    difference = (ours.mean(0) - published.mean(0)) / error
    assert np.abs(difference).max() < 5, difference
