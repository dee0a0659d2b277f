import os

import pytest

from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_SPECIAL_LINES = "".join(f"{token}\n" for token in SPECIAL_TOKENS)


@pytest.fixture
def read(tmp_path):
    def read(data):
        path = tmp_path / "vocab.txt"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return Vocabulary.from_file(path)

    return read


@pytest.mark.parametrize(
    "lines, tokens",
    [
        ("the\n##s\n", ["the", "##s"]),
        ("the", ["the"]),  # The last line needs no line end.
        ("the\r\n##s\r\n", ["the", "##s"]),
        ("\u2028\n##\x85\nthe\x0c\n", ["\u2028", "##\x85", "the\x0c"]),
    ],
)
def test_lines_become_ids(read, lines, tokens):
    for mark in ("", "\ufeff"):  # A byte order mark is not part of a piece.
        vocabulary = read(mark + _SPECIAL_LINES + lines)
        assert vocabulary.tokens == (*SPECIAL_TOKENS, *tokens)
    assert [*map(vocabulary.id_of, tokens)] == [*range(5, len(vocabulary))]
    assert tokens[0] in vocabulary and "s" not in vocabulary
    with pytest.raises(KeyError, match="cat"):
        vocabulary.id_of("cat")


@pytest.mark.parametrize(
    "data, words",
    [
        ("[pad]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", r"Missing: \[PAD\]\.$"),
        ("[PAD]\n[CLS]\n[MASK]\n", r"Missing: \[UNK\], \[SEP\]\."),
        (b"", r"Missing: \[PAD\], "),
        (_SPECIAL_LINES + "a\0b\n", "256 bytes without NUL"),
        (_SPECIAL_LINES + "a" * 257, "pieces of at most 256 bytes"),
        (_SPECIAL_LINES.encode() + b"caf\xe9\n", "byte 0xe9 at offset 34"),
    ],
)
def test_a_file_that_is_no_vocabulary_is_an_error(read, data, words):
    with pytest.raises(ValueError, match=rf"vocab\.txt .*{words}"):
        read(data)


_NUMBERED = [
    f"{x}\t{i}" for i, x in enumerate((*SPECIAL_TOKENS, "中", "", "a"))
]


def test_lines_with_ids_are_read(read):
    vocabulary = read("\r\n".join(_NUMBERED))
    assert vocabulary.tokens == (*SPECIAL_TOKENS, "中", "", "a")


@pytest.mark.parametrize("line", ["a\t6", "a\t07", "a", "", "7\ta"])
def test_a_wrong_id_names_the_line(read, line):
    message = r"vocab\.txt, line 8: must be a piece, a tab and the id 7"
    with pytest.raises(ValueError, match=message):
        read("\n".join([*_NUMBERED[:-1], line, "b\t8"]))


def test_what_is_saved_is_read_back_equal(tmp_path):
    tokens = (*SPECIAL_TOKENS, "the", "\u2028", "##\u2028", "中", "##é")
    path = tmp_path / "vocab.txt"
    path.write_text("old")
    Vocabulary(tokens).save(path)
    assert Vocabulary.from_file(path).tokens == tokens
    assert b"\r" not in path.read_bytes()
    assert os.listdir(tmp_path) == ["vocab.txt"]


@pytest.mark.parametrize(
    ("token", "expected"),
    [("##ß", True), ("[ABC]", True), ("The", False), ("##S", False)],
)
def test_lower_case_is_told_from_the_plain_pieces(token, expected):
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "the", token])
    assert vocabulary.is_lowercase is expected
