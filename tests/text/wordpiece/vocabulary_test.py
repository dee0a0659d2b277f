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


def test_lines_become_ids(read):
    vocabulary = read(_SPECIAL_LINES + "the\n##s\n")
    assert vocabulary.tokens == (*SPECIAL_TOKENS, "the", "##s")
    assert len(vocabulary) == 7
    assert vocabulary.id_of("[PAD]") == 0
    assert vocabulary.id_of("##s") == 6
    assert "the" in vocabulary
    assert "s" not in vocabulary


def test_an_unknown_piece_has_no_id(read):
    with pytest.raises(KeyError, match="cat"):
        read(_SPECIAL_LINES).id_of("cat")


def test_the_last_line_needs_no_end(read):
    assert read(_SPECIAL_LINES + "the").tokens[-1] == "the"


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0c"])
def test_line_separators_of_unicode_are_pieces(read, separator):
    vocabulary = read(f"{_SPECIAL_LINES}{separator}\n##{separator}\nthe\n")
    assert vocabulary.id_of(separator) == 5
    assert vocabulary.id_of(f"##{separator}") == 6
    assert vocabulary.id_of("the") == 7


def test_windows_line_ends_are_stripped(read):
    text = _SPECIAL_LINES + "the\n##s\n"
    vocabulary = read(text.replace("\n", "\r\n"))
    assert vocabulary.tokens == read(text).tokens


@pytest.mark.parametrize("token", SPECIAL_TOKENS)
def test_a_missing_special_token_is_named(read, token):
    others = _SPECIAL_LINES.replace(f"{token}\n", "")
    with pytest.raises(ValueError) as error:
        read(others + token.lower() + "\n")
    assert str(error.value).endswith(f"Missing: {token}.")
    assert "vocab.txt" in str(error.value)


def test_all_missing_special_tokens_are_named(read):
    with pytest.raises(ValueError, match=r"Missing: \[UNK\], \[SEP\]\."):
        read("[PAD]\n[CLS]\n[MASK]\n")


@pytest.mark.parametrize("data", [b"", b"\n"])
def test_an_empty_file_misses_the_special_tokens(read, data):
    with pytest.raises(ValueError, match=r"vocab\.txt .*Missing: \[PAD\], "):
        read(data)


def test_a_byte_that_is_no_utf8_is_named_by_its_offset(read):
    data = _SPECIAL_LINES.encode() + b"caf\xe9\n"
    offset = data.index(b"\xe9")
    with pytest.raises(
        ValueError, match=rf"vocab\.txt .* byte 0xe9 at offset {offset}\."
    ):
        read(data)


def test_a_byte_order_mark_is_no_part_of_the_first_piece(read):
    vocabulary = read(b"\xef\xbb\xbf" + _SPECIAL_LINES.encode())
    assert vocabulary.tokens == SPECIAL_TOKENS


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="vocab.txt"):
        Vocabulary.from_file(tmp_path / "vocab.txt")


def test_what_is_saved_is_read_back_equal(tmp_path):
    tokens = (*SPECIAL_TOKENS, "the", "\u2028", "##\u2028", "中", "##é")
    path = tmp_path / "vocab.txt"
    Vocabulary(tokens).save(path)
    assert Vocabulary.from_file(path).tokens == tokens
    assert b"\r" not in path.read_bytes()
    assert os.listdir(tmp_path) == ["vocab.txt"]


def test_saving_replaces_the_old_file(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("old")
    Vocabulary(SPECIAL_TOKENS).save(path)
    assert path.read_text() == _SPECIAL_LINES


def test_what_cannot_be_saved_leaves_nothing(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        Vocabulary(SPECIAL_TOKENS).save(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([], True),
        (["the", "##s", "é", "中", "1", "ß"], True),
        (["[unused1]", "[ABC]"], True),
        (["the", "The"], False),
        (["##S"], False),
        (["É"], False),
    ],
)
def test_lower_case_is_told_from_the_plain_pieces(tokens, expected):
    assert Vocabulary([*SPECIAL_TOKENS, *tokens]).is_lowercase is expected
