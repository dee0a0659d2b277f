"""Properties that hold for the spans of any text."""

import functools
import unicodedata

import hypothesis
import pytest
import tensorflow as tf
from hypothesis import strategies

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_LETTERS = "abcxyzABCXYZéßñ中文한글가дא1²ﬁ𝒙"
_TEXT = strategies.lists(
    strategies.one_of(
        strategies.text(strategies.sampled_from(_LETTERS), max_size=9),
        strategies.text(max_size=5),
        strategies.text(
            strategies.sampled_from(" \t\n\0\u0301\u200b\ufffd\u00a0.,[]-"),
            max_size=3,
        ),
        strategies.sampled_from([*SPECIAL_TOKENS, "[mask]", "[MASK", "a" * 99]),
    ),
    max_size=8,
).map("".join)
_TEXTS = strategies.lists(_TEXT, min_size=1, max_size=4)
_SETTINGS = ((True, True), (True, False), (False, False))


@functools.cache
def _tokenizer(lowercase, strip_accents, special_tokens=False):
    decomposed = unicodedata.normalize("NFD", _LETTERS + "éñ한글가".upper())
    letters = dict.fromkeys(_LETTERS + _LETTERS.lower() + decomposed)
    pieces = [*letters, *(f"##{letter}" for letter in letters), ".", "[", "]"]
    return BertTokenizer(
        Vocabulary([*SPECIAL_TOKENS, *pieces]),
        lowercase,
        strip_accents=strip_accents,
        special_tokens_in_text=special_tokens,
        max_chars_per_word=20,
    )


@functools.cache
def _in_graph(*settings):
    return tf.function(
        _tokenizer(*settings).tokenize_with_offsets,
        input_signature=[tf.TensorSpec([None], tf.string)],
    )


def _spans(texts, settings, special_tokens=False):
    """For each text its spans, as triples of piece, start and end."""
    function = _in_graph(*settings, special_tokens)
    tokenizer = _tokenizer(*settings, special_tokens)
    ids, starts, ends = function(tf.constant(texts))
    assert (ids.dtype, starts.dtype, ends.dtype) == (
        *(tf.int32, tf.int64),
        tf.int64,
    )
    assert ids.to_list() == tokenizer(texts).to_list()
    tokens = tokenizer.vocabulary.tokens
    return [
        [(tokens[i], a, b) for i, a, b in zip(*row, strict=True)]
        for row in zip(*(x.to_list() for x in (ids, starts, ends)), strict=True)
    ]


_every_setting = pytest.mark.parametrize("settings", _SETTINGS)
_few_examples = hypothesis.settings(
    max_examples=40, deadline=None, derandomize=True
)


@_every_setting
@_few_examples
@hypothesis.given(texts=_TEXTS)
def test_the_text_of_a_span_holds_its_piece(settings, texts):
    lowercase, strip_accents = settings
    for text, spans in zip(texts, _spans(texts, settings)):
        for piece, start, end in spans:
            if piece == "[UNK]":
                continue
            inside = text.encode()[start:end].decode()
            inside = inside.lower() if lowercase else inside
            if strip_accents:
                inside = unicodedata.normalize("NFD", inside)
            assert piece.removeprefix("##") in inside


@_every_setting
@_few_examples
@hypothesis.given(texts=_TEXTS)
def test_a_special_token_spans_its_own_letters(settings, texts):
    for text, spans in zip(texts, _spans(texts, settings, True)):
        found = {token: 0 for token in SPECIAL_TOKENS if token != "[UNK]"}
        for piece, start, end in spans:
            if piece in found:
                found[piece] += 1
                inside = text.encode()[start:end].decode()
                assert inside.startswith(piece)
        assert found == {token: text.count(token) for token in found}


def test_a_span_counts_the_bytes_of_the_text_as_given():
    tokenizer = _tokenizer(True, True)
    texts = ["  É\u0301x\u200b中", "", "가."]
    ids, starts, ends = tokenizer.tokenize_with_offsets(texts)
    tokens = tokenizer.vocabulary.tokens
    assert [[tokens[i] for i in row] for row in ids.to_list()] == [
        ["e", "##x", "中"],
        [],
        ["\u1100", "##\u1161", "."],
    ]
    assert starts.to_list() == [[2, 6, 10], [], [0, 0, 3]]
    # The mark behind É and the dropped U+200B belong to what they follow.
    assert ends.to_list() == [[6, 10, 13], [], [3, 3, 4]]


def test_ill_formed_text_has_spans():
    tokenizer = _tokenizer(True, True)
    ids, starts, ends = tokenizer.tokenize_with_offsets([b"\xffa\xc3b\xe4\xb8"])
    assert starts.to_list() == [[1, 3]]
    assert ends.to_list() == [[3, 6]]
