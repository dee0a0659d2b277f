import functools

import pytest

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_PIECES = ["a", "##a", "é", "##é", "𝒙", "##𝒙", "aaaa", "##aaaa"]
_VOCABULARY = Vocabulary([*SPECIAL_TOKENS, *_PIECES])


@functools.cache
def _tokenizer(limit):
    return BertTokenizer(
        _VOCABULARY, strip_accents=False, max_chars_per_word=limit
    )


@pytest.fixture
def pieces(in_tf_data):
    """Return the pieces of a text, equal eagerly and inside `tf.data`."""

    def pieces(text, limit=200):
        tokenizer = _tokenizer(limit)
        eager = tokenizer([text, "a"]).to_list()
        assert in_tf_data(tokenizer, [text, "a"]).to_list() == eager
        assert eager[1] == [5]
        return [_VOCABULARY.tokens[index] for index in eager[0]]

    return pieces


@pytest.mark.parametrize("character", ["a", "é", "𝒙"])
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 200])
def test_the_limit_is_in_characters(pieces, character, limit):
    within = pieces(character * limit, limit)
    assert "[UNK]" not in within
    assert "".join(within).replace("##", "") == character * limit
    beyond = pieces(character * (limit + 1), limit)
    assert beyond == ["[UNK]"]


def test_the_limit_is_that_of_the_published_code(pieces):
    assert BertTokenizer(_VOCABULARY).max_chars_per_word == 200
    assert "[UNK]" not in pieces("é" * 200)
    assert pieces("é" * 201) == ["[UNK]"]


def test_neighbours_of_a_long_word_stay(pieces):
    text = "aa " + "é" * 201 + " aa," + "𝒙" * 900 + ".aa"
    assert pieces(text) == [
        *("a", "##a", "[UNK]", "a", "##a", "[UNK]"),
        *("[UNK]", "[UNK]", "a", "##a"),
    ]


def test_a_long_word_has_one_span():
    tokenizer = BertTokenizer(_VOCABULARY, max_chars_per_word=3)
    ids, starts, ends = tokenizer.tokenize_with_offsets(["aa  áaaa a", "aaaa"])
    assert ids.to_list() == [[5, 6, 1, 5], [1]]
    assert starts.to_list() == [[0, 1, 4, 10], [0]]
    assert ends.to_list() == [[1, 2, 9, 11], [4]]
