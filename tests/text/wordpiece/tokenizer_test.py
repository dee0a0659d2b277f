"""Long words, spans and files; `kinds_test.py` compares the ids."""

import pytest
import tensorflow as tf

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_PIECES = ("a", "##a", "é", "##é", "𝒙", "##𝒙", "aaaa", "##aaaa")
_LETTERS = Vocabulary([*SPECIAL_TOKENS, *_PIECES])


@pytest.fixture(scope="module")
def special(tokenizer):
    return tokenizer.with_special_tokens()


def test_a_path_serves_as_vocabulary(vocabulary, tokenizer, tmp_path):
    vocabulary.save(tmp_path / "vocab.txt")
    from_path = BertTokenizer(tmp_path / "vocab.txt")
    assert from_path.max_chars_per_word == 200
    texts = ["the cats, unaffable."]
    ids = [[5, 6, 7, 14, 11, 12, 13, 15]]
    assert from_path(texts).to_list() == tokenizer(texts).to_list() == ids


def test_one_tokenizer_serves_many_graphs(vocabulary, in_tf_data):
    tokenizer = BertTokenizer(vocabulary)
    texts = tf.constant(["the cats [MASK]", "中"])
    plain, masked = (
        tf.function(lambda t, f=f: f(t))
        for f in (tokenizer, tokenizer.with_special_tokens())
    )
    in_graph = plain(texts).to_list()  # The first use is while tracing.
    assert in_graph == tokenizer(texts).to_list()
    assert in_tf_data(tokenizer, texts).to_list() == in_graph
    other_shape = tf.function(lambda text: tokenizer(text[tf.newaxis]))
    assert other_shape(texts[0]).to_list() == in_graph[:1]
    assert masked(texts).to_list() == [[5, 6, 7, 4], [19]]


def test_pieces_become_text_again(tokenizer):
    text = "the cats , unaffable . [MASK]"
    ids = tokenizer.with_special_tokens()([text])[0].numpy().tolist()
    assert tokenizer.detokenize(ids) == text


# Some limits are shorter than the longest piece.
@pytest.mark.parametrize("limit", [3, 5, 8])
def test_the_limit_of_words_is_in_characters(limit):
    tokenizer = BertTokenizer(
        _LETTERS, strip_accents=False, max_chars_per_word=limit
    )
    for letter in ("a", "é", "𝒙"):
        within, beyond = tokenizer([letter * limit, letter * (limit + 1)])
        pieces = [_LETTERS.tokens[n] for n in within.numpy()]
        assert "".join(pieces).replace("##", "") == letter * limit
        assert beyond.numpy().tolist() == [_LETTERS.unk_id]


def test_a_long_word_has_one_span():
    tokenizer = BertTokenizer(_LETTERS, max_chars_per_word=3)
    ids, starts, ends = tokenizer.tokenize_with_offsets(["aa  áaaa a", "aaaa"])
    assert ids.to_list() == [[5, 6, 1, 5], [1]]
    assert starts.to_list() == [[0, 1, 4, 10], [0]]
    assert ends.to_list() == [[1, 2, 9, 11], [4]]


def test_a_span_counts_the_bytes_of_the_text_as_given():
    pieces = ("e", "##x", "中", "\u1100", "##\u1161", ".", "a")
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *pieces]))
    texts = ["  É\u0301x\u200b中", "", "가.", b"\xffa\xc3.\xe4\xb8"]
    ids, starts, ends = tokenizer.tokenize_with_offsets(texts)
    assert ids.to_list() == [[5, 6, 7], [], [8, 9, 10], [11, 10]]
    assert starts.to_list() == [[2, 6, 10], [], [0, 0, 3], [1, 3]]
    # The mark after É and the removed U+200B belong to the previous character.
    assert ends.to_list() == [[6, 10, 13], [], [3, 3, 4], [3, 6]]


def test_a_special_token_torn_over_two_texts_is_plain(special, vocabulary):
    opening, mask, closing = map(vocabulary.id_of, ("[", "mask", "]"))
    texts = ["[", "MASK]", "[MASK", "]", "MASK", "]"]
    assert special(texts).to_list() == [
        *([opening], [mask, closing], [opening, mask]),
        *([closing], [mask], [closing]),
    ]


def test_the_span_of_a_special_token_includes_its_brackets(special):
    ids, starts, ends = special.tokenize_with_offsets(
        ["é [MASK]\u0301cats [CLS]."]
    )
    assert ids.to_list() == [[1, 4, 6, 7, 2, 15]]
    assert starts.to_list() == [[0, 3, 11, 14, 16, 21]]
    assert ends.to_list() == [[2, 11, 14, 15, 21, 22]]


def test_ill_formed_bytes_do_not_shift_the_brackets(special):
    texts = [
        left + b"[MASK]" + right + b"[ [MASK]"
        for left in (b"\xff", b"\xe4\xb8", b"\xf0\x9f\x92", b"\xc3", b"\x80")
        for right in (b"\xff", b"\xed\xa0\x80", b"a\xe2\x82")
    ]
    for row in special(texts).to_list():
        assert row.count(4) == 2
