import itertools

import pytest

from keras_bert.pretraining.corpus import documents
from keras_bert.pretraining.corpus.documents import document_lines
from keras_bert.pretraining.corpus.documents import read_documents
from keras_bert.pretraining.corpus.documents import read_lines

_BLOCK_SIZES = range(1, 41)


@pytest.fixture
def write(tmp_path):
    numbers = itertools.count()

    def write(data):
        path = tmp_path / f"{next(numbers)}.txt"
        path.write_bytes(data)
        return str(path)

    return write


@pytest.fixture
def set_block(monkeypatch):
    return lambda size: monkeypatch.setattr(documents, "_BLOCK_BYTES", size)


def _read(*paths):
    return list(read_documents(paths))


@pytest.mark.parametrize("space", [*"\u3000\xa0\u2003\u2028\x85\x1c"])
def test_a_line_of_white_space_beyond_ascii_is_blank(write, space):
    path = write(f"one\n {space}\t{space}\ntwo{space}a\n{space}b".encode())
    documents = [[b"one"], [f"two{space}a".encode(), f"{space}b".encode()]]
    assert [[line.strip() for line in d] for d in _read(path)] == [
        [line.strip() for line in document] for document in documents
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree\n", [["one", "two"], ["three"]]),
        ("one\ntwo", [["one", "two"]]),
        ("\n\n one \n \t \n\n\ntwo\n\n\n", [["one"], ["two"]]),
        ("one\r\ntwo\r\n\r\nthree\r\n", [["one", "two"], ["three"]]),
        ("\ufeffone", [["one"]]),
        ("\ufeff\n", []),
        ("one\ufefftwo\n\ufeffthree", [["one\ufefftwo", "\ufeffthree"]]),
        ("one\u2028two\x85three\x0cfour", [["one\u2028two\x85three\x0cfour"]]),
        ("", []),
        (" \t\r\n\n  ", []),
    ],
)
def test_blank_lines_and_ends_of_files_divide_documents(write, text, expected):
    path = write(text.encode())
    documents = [[line.encode() for line in lines] for lines in expected]
    assert _read(path) == documents
    assert _read(path, path) == documents * 2
    lines = [*document_lines(text.removeprefix("\ufeff"))]
    assert [line for line in lines if line] == sum(documents, [])


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"", b"t\n\xc3\xa9t\xc3\xa9\n"])
@pytest.mark.parametrize(
    ("bad", "words"),
    [(b"\0", "NUL byte at offset"), (b"\xe9", "0xe9 at offset")],
)
def test_a_bad_byte_is_named_by_its_offset(
    write, set_block, mark, end, bad, words
):
    before = mark + b"one\n\ntwo\n\xc3\xa9t"
    path = write(before + bad + end)
    for size in [1 << 20, *_BLOCK_SIZES]:
        set_block(size)
        with pytest.raises(
            ValueError, match=rf"{path} .* {words} {len(before)}\b"
        ):
            _read(path)


def test_documents_do_not_depend_on_the_block_size(write, set_block):
    data = (
        b"\xef\xbb\xbfone\r\n\xe4\xb8\xad\xe6\x96\x87 two\n\n\n"
        b"a line that is longer than most of the blocks \xf0\x9f\x90\xb6\n"
        b"three\n \nfour"
    )
    path = write(data)
    expected = [
        [b"one", "中文 two".encode()],
        ["a line that is longer than most of the blocks 🐶".encode(), b"three"],
        [b"four"],
    ]
    assert _read(path) == expected
    for size in _BLOCK_SIZES:
        set_block(size)
        assert _read(path) == expected, size


def test_utf16_is_an_error_that_guesses_it(write):
    with pytest.raises(ValueError, match="offset 3; is it .* UTF-16"):
        _read(write("one\n".encode("utf-16")))


def test_lines_before_a_bad_block_are_yielded(write, set_block):
    set_block(4)
    lines = read_lines(write(b"one\ntwo\n\xff\n"))
    assert [next(lines), next(lines)] == [b"one", b"two"]
    with pytest.raises(ValueError, match="0xff at offset 8"):
        next(lines)
