import functools
import itertools
import unicodedata

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from keras_bert.tasks.inputs.word_pieces import find_words
from keras_bert.tasks.inputs.word_pieces import tokenize_words
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_LETTERS = "abcéñß中文한글a1ﬁ"
_UNCASED, _CASED = (True, True), (False, False)


@functools.cache
def _tokenizer(lowercase, strip_accents):
    decomposed = unicodedata.normalize("NFD", _LETTERS)
    letters = dict.fromkeys(_LETTERS + decomposed)
    pieces = [*letters, *(f"##{x}" for x in letters), ".", "-", "#", "[", "]"]
    return BertTokenizer(
        Vocabulary([*SPECIAL_TOKENS, *pieces]),
        lowercase,
        strip_accents=strip_accents,
        max_chars_per_word=20,
    )


def _tokens(ids):
    tokens = _tokenizer(*_UNCASED).vocabulary.tokens
    return [tokens[i] for i in ids]


def test_words_are_found_in_a_text():
    text = "  Éb\u200b c.\n中文e\u0301 \u200b"
    ((pieces, spans),) = find_words(_tokenizer(*_UNCASED), [text])
    assert _tokens(pieces.ids) == ["e", "##b", "c", ".", "中", "文", "e"]
    assert pieces.words.tolist() == [0, 0, 1, 2, 3, 4, 5]
    assert spans == [[2, 5], [6, 7], [7, 8], [9, 10], [10, 11], [11, 13]]


def test_an_unknown_word_is_one_word(make_settings):
    tokenizer = make_settings("sentencepiece").make()
    text = "word1 日本語 word2"
    ((pieces, spans),) = find_words(tokenizer, [text])
    tokens = [tokenizer.vocabulary.tokens[x] for x in pieces.ids]
    assert tokens == ["▁word1", "▁", "<unk>", "▁word2"]
    assert [text[start:end] for start, end in spans] == text.split()
    assert pieces.words.tolist() == [0, 1, 1, 2]


def test_pieces_of_one_character_are_one_word():
    ((pieces, spans),) = find_words(_tokenizer(*_UNCASED), ["한."])
    assert len(pieces.ids) == 4
    assert pieces.words.tolist() == [0, 0, 0, 1]
    assert spans == [[0, 1], [1, 2]]


_TEXT = st.lists(
    st.one_of(
        st.text(st.sampled_from(_LETTERS + _LETTERS.upper()), max_size=9),
        st.text(max_size=5),
        st.text(
            st.sampled_from(" \t\n\0\u0301\u200b\ufe0f\ufffd\u00a0.-#[]"),
            max_size=3,
        ),
        st.sampled_from(["[SEP]", "##a", "a" * 30, "👩\u200d👧", "😀"]),
    ),
    max_size=8,
).map("".join)
_few_examples = hypothesis.settings(
    max_examples=30, deadline=None, derandomize=True
)
_both_cases = pytest.mark.parametrize("settings", [_UNCASED, _CASED])


@_both_cases
@_few_examples
@hypothesis.given(sentences=st.lists(st.lists(_TEXT, max_size=4), max_size=3))
def test_a_word_has_the_pieces_it_has_by_itself(settings, sentences):
    tokenizer = _tokenizer(*settings)
    results = tokenize_words(tokenizer, sentences)
    for words, pieces in zip(sentences, results, strict=True):
        assert (np.diff(pieces.words) >= 0).all()
        found = [
            pieces.ids[pieces.words == n].tolist() for n, _ in enumerate(words)
        ]
        assert found == tokenizer(words).to_list()
        assert sum(map(len, found)) == len(pieces.ids)


@_both_cases
@_few_examples
@hypothesis.given(texts=st.lists(_TEXT, max_size=3))
def test_words_are_substrings_in_order(settings, texts):
    tokenizer = _tokenizer(*settings)
    results = find_words(tokenizer, texts)
    expected = tokenizer(texts).to_list()
    for text, ids, (pieces, spans) in zip(
        texts, expected, results, strict=True
    ):
        assert pieces.ids.tolist() == ids
        places = list(itertools.chain(*spans))
        assert places == sorted(places)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        # A substring has the pieces of its word; separators have none.
        words = [text[start:end] for start, end in spans]
        found = [
            pieces.ids[pieces.words == n].tolist() for n, _ in enumerate(words)
        ]
        assert found == tokenizer(words).to_list()
        gaps = zip([0, *places[1::2]], [*places[::2], len(text)], strict=True)
        assert not any(tokenizer([text[a:b] for a, b in gaps]).to_list())


@_few_examples
@hypothesis.given(text=_TEXT)
def test_no_word_is_cut_off_from_its_accents(text):
    ((_, spans),) = find_words(_tokenizer(*_UNCASED), [text])
    for _, end in spans:
        assert not text.startswith("\u0301", end)
