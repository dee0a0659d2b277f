import numpy as np
import pytest

from keras_bert.pretraining.records.full_sentences import sample_doc_sentences
from keras_bert.pretraining.records.full_sentences import sample_full_sentences
from keras_bert.pretraining.records.segments import copy_tokens

_SEP = 9_999_999


def _by_definition(documents, limit, joins):
    """Return the texts of documents, lists of sentence lengths."""
    texts, text, token = [], [], 0
    for lengths in documents:
        begins = True
        for length in lengths:
            sentence = [*range(token, token + length)]
            token += length
            for first in range(0, length, limit):
                piece = sentence[first : first + limit]
                separator = [_SEP] if begins else []
                is_new = begins and not joins
                if is_new or len(text + separator + piece) > limit:
                    texts.append(text)
                    text, separator = [], []
                text = text + (separator if text else []) + piece
                begins = False
    return [text for text in [*texts, text] if text]


@pytest.mark.parametrize(
    ("sampler", "joins"),
    [(sample_full_sentences, True), (sample_doc_sentences, False)],
)
def test_as_many_sentences_as_fit_make_a_text(make_corpus, sampler, joins):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        lengths = [
            rng.integers(1, 13, rng.integers(1, 9)).tolist()
            for _ in range(rng.integers(1, 60))
        ]
        corpus, limit = make_corpus(lengths), int(rng.integers(2, 40))
        segments = sampler(corpus, np.arange(len(lengths)), limit)
        assert not segments.second_length.any() and not segments.label.any()
        copied, segments = copy_tokens(corpus, segments, _SEP)
        special = segments.num_tokens - segments.first_length
        assert (special == 2).all()
        texts = [
            copied.tokens[start:][:length].tolist()
            for start, length in zip(
                segments.first_start, segments.first_length
            )
        ]
        assert texts == _by_definition(lengths, limit, joins)


def test_only_the_documents_asked_for_are_packed(make_corpus):
    corpus = make_corpus([[2], [3], [4], [5]])
    for sampler in (sample_full_sentences, sample_doc_sentences):
        segments = sampler(corpus, np.array([1, 2]), 50)
        assert segments.first_start[0] == 2
        assert segments.first_length.sum() == 7
