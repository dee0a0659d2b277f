import pytest

from keras_bert.pretraining.corpus.documents import document_lines
from keras_bert.pretraining.corpus.documents import read_documents


@pytest.fixture
def read(tmp_path):
    """Return a function that reads bytes as the documents of a file."""

    def read(data, times=1):
        path = tmp_path / "text.txt"
        path.write_bytes(data)
        return list(read_documents([str(path)] * times))

    return read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree\n", [["one", "two"], ["three"]]),
        ("one\ntwo", [["one", "two"]]),
        ("\n\n one \n \t \n\n\ntwo\n\n\n", [["one"], ["two"]]),
        ("one\r\ntwo\r\n\r\nthree\r\n", [["one", "two"], ["three"]]),
        ("\ufeffone", [["one"]]),
        ("one\ufefftwo\n\ufeffthree", [["one\ufefftwo", "\ufeffthree"]]),
        ("one\u2028two\x85three\x0cfour", [["one\u2028two\x85three\x0cfour"]]),
        (" \t\r\n\n  ", []),
        *(
            (
                f"one\n {space}\t{space}\ntwo{space}a",
                [["one"], [f"two{space}a"]],
            )
            for space in "\u3000\xa0\u2003\u2028\x85\x1c"
        ),
    ],
)
def test_blank_lines_and_ends_of_files_divide_documents(read, text, expected):
    documents = [[line.encode() for line in lines] for lines in expected]
    assert read(text.encode(), times=2) == documents * 2
    lines = [*document_lines(text.removeprefix("\ufeff"))]
    assert [line for line in lines if line] == sum(documents, [])


def test_utf16_is_an_error_that_guesses_it(read):
    with pytest.raises(ValueError, match="offset 3; is it .* UTF-16"):
        read("one\n".encode("utf-16"))
