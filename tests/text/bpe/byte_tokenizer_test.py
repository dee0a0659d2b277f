"""Bytes, spaces and decoding; `kinds_test.py` compares the ids."""

import pytest

from keras_bert.text import BytePairTokenizer
from keras_bert.text.bpe.byte_vocabulary import SPECIAL_TOKENS
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import byte_characters

_MERGES = (("t", "h"), ("th", "e"), ("Ġ", "the"), ("c", "a"), ("a", "a"))


@pytest.fixture(scope="module")
def tokenizer():
    made = ["".join(merge) for merge in _MERGES]
    tokens = [*SPECIAL_TOKENS, *byte_characters(), *made]
    return BytePairTokenizer(BytePairVocabulary(tokens), _MERGES)


def _tokens(tokenizer, text):
    return [tokenizer.vocabulary.tokens[n] for n in tokenizer(text).numpy()]


def test_a_space_is_put_before_each_stretch_of_text(tokenizer):
    other = BytePairTokenizer(
        tokenizer.vocabulary, _MERGES, add_prefix_space=True
    ).with_special_tokens()
    text = "\nthe<mask>the"
    assert _tokens(other, text) == ["Ġ", "Ċ", "the", "<mask>", "Ġthe"]
    ids, starts, ends = other.tokenize_with_offsets([text])
    assert starts.to_list() == [[0, 0, 1, 4, 10]]
    assert ends.to_list() == [[0, 1, 4, 10, 13]]


def test_bytes_that_are_no_text_are_symbols(tokenizer):
    texts = [
        b"the\xff\xfethe",
        b"\xe4\xb8",
        b"\xed\xa0\x80 \xc0\xaf",
        b"\xf4\x90\x80\x80",
    ]
    ids, starts, ends = tokenizer.tokenize_with_offsets(texts)
    assert _tokens(tokenizer, texts[0]) == ["the", "ÿ", "þ", "the"]
    for text, row, first, last in zip(
        texts, ids.to_list(), starts.to_list(), ends.to_list()
    ):
        spelled = "".join(tokenizer.vocabulary.tokens[index] for index in row)
        assert spelled == "".join(byte_characters()[byte] for byte in text)
        # Each byte is separate: no span includes another byte.
        assert all(end - start <= 3 for start, end in zip(first, last))


def test_ids_become_the_text_again(byte_pair_tokenizer):
    tokenizer = byte_pair_tokenizer
    for text in ("We'll  see\n", "日本語 🙂\t\0", " ", "<mask>"):
        assert tokenizer.detokenize(tokenizer([text]).to_list()[0]) == text
    special = [tokenizer.vocabulary.id_of(t) for t in ("<s>", "<mask>")]
    assert tokenizer.detokenize(special) == "<s><mask>"
    cut = tokenizer([b"\xe4\xb8"]).to_list()[0]
    assert set(tokenizer.detokenize(cut)) == {"\ufffd"}


def test_a_long_word_takes_few_steps(byte_pair_tokenizer):
    text = "a" * 100_000
    (ids,) = byte_pair_tokenizer([text]).to_list()
    assert byte_pair_tokenizer.detokenize(ids) == text


def test_tokens_that_start_with_white_space_start_a_word(tokenizer):
    vocabulary = tokenizer.vocabulary
    continues = dict(zip(vocabulary.tokens, vocabulary.is_continuation))
    assert continues["th"] and continues["Ã"]
    others = ("Ġthe", "Ġ", "Ċ", "ĉ", *SPECIAL_TOKENS)
    assert not any(continues[token] for token in others)
