"""The tokenizer on texts with hand-derived pieces."""

import pytest

from keras_bert.text import BytePairTokenizer
from keras_bert.text.byte_pair.vocabulary import SPECIAL_TOKENS
from keras_bert.text.byte_pair.vocabulary import BytePairVocabulary
from keras_bert.text.byte_pair.vocabulary import byte_characters

_MERGES = (("t", "h"), ("th", "e"), ("Ġ", "the"), ("c", "a"), ("a", "a"))


@pytest.fixture(scope="module")
def tokenizer():
    made = ["".join(merge) for merge in _MERGES]
    tokens = [*SPECIAL_TOKENS, *byte_characters(), *made]
    return BytePairTokenizer(BytePairVocabulary(tokens), _MERGES)


def _tokens(tokenizer, *texts):
    return [
        [tokenizer.vocabulary.tokens[index] for index in row]
        for row in tokenizer(texts).to_list()
    ]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("the the", ["the", "Ġthe"]),
        ("cathe", ["ca", "the"]),
        # One pair is merged from the left.
        ("caaaa", ["ca", "aa", "a"]),
        ("aaaaa", ["aa", "aa", "a"]),
        # The last of several spaces belongs to the word.
        ("a   the", ["a", "Ġ", "Ġ", "Ġthe"]),
        ("a\n\nthe", ["a", "Ċ", "Ċ", "the"]),
        ("the 's", ["the", "Ġ", "'", "s"]),
        ("é", ["Ã", "©"]),
        ("<mask>", ["<", "m", "a", "s", "k", ">"]),
        ("\0", ["Ā"]),
        ("", []),
    ],
)
def test_a_text_is_cut(tokenizer, text, tokens):
    assert _tokens(tokenizer, text) == [tokens]


def test_texts_do_not_touch_each_other(tokenizer):
    texts = ["t", "he", "", " ", "the", "", "'", "s\xc3", b"\xa9"]
    together = tokenizer(texts).to_list()
    assert together == [tokenizer([text]).to_list()[0] for text in texts]


def test_a_space_is_put_before_each_stretch_of_text(tokenizer):
    other = BytePairTokenizer(
        tokenizer.vocabulary, _MERGES, add_prefix_space=True
    )
    assert _tokens(other, "the", " the", "", "\nthe") == [
        ["Ġthe"],
        ["Ġthe"],
        [],
        ["Ġ", "Ċ", "the"],
    ]
    special = other.with_special_tokens()
    assert _tokens(special, "the<mask>the") == [["Ġthe", "<mask>", "Ġthe"]]
    ids, starts, ends = special.tokenize_with_offsets(["\nthe<mask>the"])
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
    assert _tokens(tokenizer, texts[0]) == [["the", "ÿ", "þ", "the"]]
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


def test_what_it_shows_of_itself(tokenizer):
    assert tokenizer.kind == "byte_bpe"
    continues = dict(
        zip(tokenizer.vocabulary.tokens, tokenizer.vocabulary.is_continuation)
    )
    assert continues["th"] and continues["Ã"]
    # Tokens that start with white space start a word.
    assert not any(continues[token] for token in ("Ġthe", "Ġ", "Ċ", "ĉ"))
    assert not any(continues[token] for token in SPECIAL_TOKENS)
    assert tokenizer.settings.make()(["the"]).to_list() == [
        [tokenizer.vocabulary.id_of("the")]
    ]
