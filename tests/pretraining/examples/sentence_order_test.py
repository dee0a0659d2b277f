import numpy as np
import pytest

from keras_bert.pretraining.examples.segment_pairs import in_order_or_swapped
from keras_bert.pretraining.examples.segment_pairs import sample_segment_pairs
from keras_bert.pretraining.examples.segment_pairs import sample_sentence_pairs


@pytest.fixture
def corpus(make_corpus):
    """Return 400 documents of 1 to 12 sentences of 1 to 9 tokens."""
    rng = np.random.default_rng(3)
    return make_corpus(
        [rng.integers(1, 10, rng.integers(1, 13)) for _ in range(400)]
    )


def _order(corpus, limit, seed=1, short=0.2):
    documents = np.arange(corpus.num_documents)
    rng = np.random.default_rng(seed)
    return sample_segment_pairs(
        corpus, documents, limit, short, rng, in_order_or_swapped
    )


def _sentence_pairs(corpus, limit, seed=1):
    documents = np.arange(corpus.num_documents)
    rng = np.random.default_rng(seed)
    return sample_sentence_pairs(corpus, documents, limit, rng)


def _document_of(corpus, tokens):
    ends = corpus.sentences[corpus.documents[1:]]
    return np.searchsorted(ends, tokens, side="right")


def _is_of_one_document(corpus, pairs):
    return _document_of(corpus, pairs.first_start) == _document_of(
        corpus, pairs.second_start
    )


def test_the_label_tells_the_order_of_two_neighbours(corpus):
    pairs = _order(corpus, 10_000)
    pairs = pairs[_is_of_one_document(corpus, pairs)]
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


def test_a_chunk_of_one_sentence_gets_another_document_and_label_1(corpus):
    pairs = _order(corpus, 30)
    is_random = ~_is_of_one_document(corpus, pairs)
    assert 100 < is_random.sum() < 0.6 * len(pairs)
    assert pairs.label[is_random].all()
    alone = _order(corpus, 10_000, short=0.0)
    alone = alone[~_is_of_one_document(corpus, alone)]
    num_sentences = np.diff(corpus.documents)
    documents = _document_of(corpus, alone.first_start)
    np.testing.assert_array_equal(
        np.sort(documents), np.flatnonzero(num_sentences == 1)
    )


@pytest.mark.parametrize("limit", [2, 9, 30])
def test_parts_fit_and_none_is_empty(corpus, limit):
    for pairs in (_order(corpus, limit), _sentence_pairs(corpus, limit)):
        assert pairs.first_length.min() >= 1
        assert pairs.second_length.min() >= 1
        assert (pairs.first_length + pairs.second_length).max() <= limit


def test_each_token_is_used_once_where_nothing_is_cut(corpus):
    for pairs in (_order(corpus, 10_000), _sentence_pairs(corpus, 10_000)):
        is_own = _is_of_one_document(corpus, pairs)
        uses = np.zeros(len(corpus.tokens), int)
        for row in range(len(pairs)):
            uses[pairs.first_start[row] :][: pairs.first_length[row]] += 1
            if is_own[row]:
                uses[pairs.second_start[row] :][: pairs.second_length[row]] += 1
        assert (uses == 1).all()
        assert not pairs.num_cut.any()


def test_sentence_pairs_are_two_whole_sentences(corpus):
    pairs = _sentence_pairs(corpus, 10_000)
    lengths = dict(zip(corpus.sentences, np.diff(corpus.sentences)))
    for start, length in (
        (pairs.first_start, pairs.first_length),
        (pairs.second_start, pairs.second_length),
    ):
        assert [lengths[x] for x in start] == length.tolist()
    is_own = _is_of_one_document(corpus, pairs)
    np.testing.assert_array_equal(pairs.label, ~is_own)
    follows = pairs.first_start + pairs.first_length == pairs.second_start
    assert follows[is_own].all()


def test_half_of_the_second_sentences_are_random(make_corpus):
    # Documents of many sentences.
    pairs = _sentence_pairs(make_corpus([[2] * 200] * 50), 10)
    assert pairs.label.mean() == pytest.approx(0.5, abs=0.03)
