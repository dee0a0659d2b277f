import pytest
import tensorflow as tf

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


@pytest.fixture
def pieces(tokenizer, vocabulary, in_tf_data):
    """Return the pieces of a text, equal eagerly and inside `tf.data`."""

    def pieces(text):
        eager = tokenizer([text])
        assert eager.dtype == tf.int32
        assert in_tf_data(tokenizer, [text]).to_list() == eager.to_list()
        return [vocabulary.tokens[index] for index in eager.to_list()[0]]

    return pieces


def test_ids_are_the_lines_of_the_vocabulary(tokenizer):
    assert tokenizer(["the cats, unaffable."]).to_list() == [
        [5, 6, 7, 14, 11, 12, 13, 15]
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat", ["the", "cat"]),
        ("the  \t\n cat ", ["the", "cat"]),
        # The longest piece wins: neither "c ##at" nor "c ##a ...".
        ("cats", ["cat", "##s"]),
        ("cat", ["cat"]),
        ("cas", ["c", "##a", "##s"]),
        # A word with an unknown part is completely unknown.
        ("catx", ["[UNK]"]),
        ("dog cat", ["[UNK]", "cat"]),
        # "##s" only continues words; alone it is an unknown word.
        ("s", ["[UNK]"]),
        ("", []),
        (" \t ", []),
        ("cat,the.", ["cat", ",", "the", "."]),
        (",,..", [",", ",", ".", "."]),
        ("the-cat", ["the", "[UNK]", "cat"]),
        ("中文", ["中", "文"]),
        ("the中cat文", ["the", "中", "cat", "文"]),
        ("龍", ["[UNK]"]),
        ("THE Cat", ["the", "cat"]),
        ("Café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]),
        ("[MASK]", ["[", "mask", "]"]),
        ("[CLS] cat[SEP]", ["[", "[UNK]", "]", "cat", "[", "[UNK]", "]"]),
        ("[mask]", ["[", "mask", "]"]),
    ],
)
def test_a_text_is_cut_into_known_pieces(pieces, text, expected):
    assert pieces(text) == expected


def test_a_path_serves_as_vocabulary(vocabulary, tokenizer, tmp_path):
    vocabulary.save(tmp_path / "vocab.txt")
    from_path = BertTokenizer(tmp_path / "vocab.txt")
    assert from_path.vocabulary.tokens == vocabulary.tokens
    texts = ["the cats, 中."]
    assert from_path(texts).to_list() == tokenizer(texts).to_list()


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


@pytest.mark.parametrize(
    ("arguments", "received"),
    [
        ({"tokenize_chinese_chars": False}, "tokenize_chinese_chars=False"),
        ({"max_chars_per_word": 0}, "max_chars_per_word=0"),
        (
            {"lowercase": False, "strip_accents": True},
            "lowercase=False, strip_accents=True",
        ),
    ],
)
def test_settings_that_cannot_be_are_errors(vocabulary, arguments, received):
    with pytest.raises(ValueError, match=received):
        BertTokenizer(vocabulary, **arguments)


def test_pieces_become_text_again(vocabulary):
    tokenizer = BertTokenizer(vocabulary)
    for text in ("the cats , unaffable .", "the"):
        ids = tokenizer([text])[0].numpy().tolist()
        assert tokenizer.detokenize(ids) == text
    words = Vocabulary([*SPECIAL_TOKENS, "dog", "##s"])
    tokenizer = BertTokenizer(words)
    assert tokenizer.detokenize([5, 6, 4]) == "dogs [MASK]"
    assert tokenizer.vocabulary.roles["mask"] == "[MASK]"


def test_a_span_counts_the_bytes_of_the_text_as_given():
    pieces = ("e", "##x", "中", "\u1100", "##\u1161", ".", "a")
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *pieces]))
    texts = ["  É\u0301x\u200b中", "", "가.", b"\xffa\xc3.\xe4\xb8"]
    ids, starts, ends = tokenizer.tokenize_with_offsets(texts)
    assert ids.to_list() == [[5, 6, 7], [], [8, 9, 10], [11, 10]]
    assert starts.to_list() == [[2, 6, 10], [], [0, 0, 3], [1, 3]]
    # The mark after É and the removed U+200B belong to the previous character.
    assert ends.to_list() == [[6, 10, 13], [], [3, 3, 4], [3, 6]]
