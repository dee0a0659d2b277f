import pytest
import tensorflow as tf

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


@pytest.fixture(scope="module")
def special(tokenizer):
    return tokenizer.with_special_tokens()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[MASK]", ["[MASK]"]),
        ("the [MASK]cat", ["the", "[MASK]", "cat"]),
        ("[MASK][MASK]", ["[MASK]", "[MASK]"]),
        ("the [MASK] , [MASK].", ["the", "[MASK]", ",", "[MASK]", "."]),
        ("", []),
        ("cats", ["cat", "##s"]),
        ("cat[MASK]s", ["cat", "[MASK]", "[UNK]"]),
        ("[PAD][UNK][CLS][SEP]", ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]),
        ("[[MASK]]", ["[", "[MASK]", "]"]),
        ("[MASK[MASK]", ["[", "mask", "[MASK]"]),
        ("[mask]", ["[", "mask", "]"]),
        ("[ MASK]", ["[", "mask", "]"]),
        ("[MASK ]", ["[", "mask", "]"]),
        # These are removed, so that the pieces are the same.
        ("[MA\u200bSK]", ["[", "mask", "]"]),
        ("[MASK\u0301]", ["[", "mask", "]"]),
        ("[\u0301MASK]", ["[", "mask", "]"]),
        ("\ufffd[MASK]\0", ["[MASK]"]),
        ("[MASK", ["[", "mask"]),
        ("MASK]", ["mask", "]"]),
        ("中[MASK]文", ["中", "[MASK]", "文"]),
    ],
)
def test_only_a_literal_special_token_becomes_its_id(
    special, vocabulary, in_tf_data, text, expected
):
    ids = [vocabulary.id_of(token) for token in expected]
    # Other texts of the batch have no effect.
    texts = ["the [MASK]", text, "", "["]
    wanted = [[5, 4], ids, [], [vocabulary.id_of("[")]]
    assert special(texts).to_list() == wanted
    assert special([text]).to_list() == [ids]
    assert special([text]).dtype == tf.int32
    assert in_tf_data(special, texts).to_list() == wanted


def test_a_token_torn_over_two_texts_is_plain(special, vocabulary):
    opening, mask, closing = map(vocabulary.id_of, ("[", "mask", "]"))
    texts = ["[", "MASK]", "[MASK", "]", "MASK", "]"]
    assert special(texts).to_list() == [
        *([opening], [mask, closing], [opening, mask]),
        *([closing], [mask], [closing]),
    ]


@pytest.mark.parametrize("brackets", ["", "[", "]", "[]"])
def test_a_vocabulary_needs_no_brackets(brackets):
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "the", *brackets])
    special = BertTokenizer(vocabulary, special_tokens_in_text=True)
    opening, closing = (
        vocabulary.id_of(c) if c in vocabulary else vocabulary.unk_id
        for c in "[]"
    )
    texts = ["the [MASK]", "[the] [mask]", "[CLS", "[[SEP]]"]
    assert special(texts).to_list() == [
        [5, 4],
        [opening, 5, closing, opening, 1, closing],
        [opening, 1],
        [opening, 3, closing],
    ]


def test_a_span_takes_in_the_brackets(special):
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
