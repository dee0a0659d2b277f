import itertools

import pytest

from keras_bert.data.corpus import documents
from keras_bert.data.corpus.documents import document_lines
from keras_bert.data.corpus.documents import read_documents
from keras_bert.data.corpus.documents import read_lines

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


def test_blank_lines_divide_documents(write):
    path = write(b"one\ntwo\n\nthree\n")
    assert _read(path) == [[b"one", b"two"], [b"three"]]


@pytest.mark.parametrize("space", [*"\u3000\xa0\u2003\u2028\x85\x1c"])
def test_a_line_of_white_space_beyond_ascii_is_blank(write, space):
    path = write(f"one\n {space}\t{space}\ntwo{space}a\n{space}b".encode())
    documents = [[b"one"], [f"two{space}a".encode(), f"{space}b".encode()]]
    assert [[line.strip() for line in d] for d in _read(path)] == [
        [line.strip() for line in document] for document in documents
    ]


def test_text_of_one_document_has_one_end():
    lines = document_lines(" one\r\n\n\u3000\ntwo \n")
    assert [*lines] == [b"one", b"two", b""]


def test_blank_lines_in_a_row_make_no_empty_document(write):
    path = write(b"\n\n one \n \t \n\n\ntwo\n\n\n")
    assert _read(path) == [[b"one"], [b"two"]]


def test_a_document_ends_where_its_file_does(write):
    assert _read(write(b"one"), write(b"two")) == [[b"one"], [b"two"]]


def test_the_last_line_needs_no_end(write):
    assert _read(write(b"one\ntwo")) == _read(write(b"one\ntwo\n"))


def test_windows_line_ends_are_stripped(write):
    path = write(b"one\r\ntwo\r\n\r\nthree\r\n")
    assert _read(path) == [[b"one", b"two"], [b"three"]]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_byte_order_mark_is_no_text(write, end):
    assert _read(write(b"\xef\xbb\xbfone" + end)) == [[b"one"]]
    assert _read(write(b"\xef\xbb\xbf" + end)) == []


def test_a_byte_order_mark_inside_the_text_stays(write):
    text = "one\ufefftwo\n\ufeffthree".encode()
    assert _read(write(text)) == [text.split(b"\n")]


def test_other_line_separators_divide_nothing(write):
    line = "one\u2028two\x85three\x0cfour".encode()
    assert _read(write(line)) == [[line]]


@pytest.mark.parametrize("data", [b"", b"\n", b" \t\r\n\n  ", b"\xef\xbb\xbf"])
def test_a_file_without_text_has_no_document(write, data):
    assert _read(write(data)) == []
    assert _read(write(data), write(b"one"), write(data)) == [[b"one"]]


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


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"", b"\nthree\n"])
def test_a_nul_byte_is_named_by_its_offset(write, set_block, mark, end):
    before = mark + b"one\ntwo \xc3\xa9"
    path = write(before + b"\0more" + end)
    for size in [1 << 20, *_BLOCK_SIZES]:
        set_block(size)
        with pytest.raises(
            ValueError, match=rf"{path} .* NUL byte at offset {len(before)};"
        ):
            _read(path)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"", b"t\n\xc3\xa9t\xc3\xa9\n"])
def test_a_byte_that_is_no_utf8_is_named_by_its_offset(
    write, set_block, mark, end
):
    before = mark + b"one\n\ntwo\n\xc3\xa9t"
    path = write(before + b"\xe9" + end)
    for size in [1 << 20, *_BLOCK_SIZES]:
        set_block(size)
        with pytest.raises(
            ValueError, match=rf"{path} .* 0xe9 at offset {len(before)}\."
        ):
            _read(path)


def test_utf16_is_an_error_that_guesses_it(write):
    with pytest.raises(ValueError, match="offset 3; is it .* UTF-16"):
        _read(write("one\n".encode("utf-16")))


def test_lines_before_a_bad_block_are_yielded(write, set_block):
    set_block(4)
    lines = read_lines(write(b"one\ntwo\n\xff\n"))
    assert [next(lines), next(lines)] == [b"one", b"two"]
    with pytest.raises(ValueError, match="0xff at offset 8"):
        next(lines)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.txt"):
        _read(str(tmp_path / "missing.txt"))
