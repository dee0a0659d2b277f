import pathlib

import pytest

from keras_bert.data.labelled.rows import column_of
from keras_bert.data.labelled.tables import read_cells
from keras_bert.programs.prediction.asked import AskedTexts


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return str(path)

    return write


def test_each_line_of_plain_text_is_a_row_and_may_be_empty(write):
    path = write("a.txt", b'\xef\xbb\xbfone\r\n\n\ttwo, "2" \n\n')
    assert list(AskedTexts(path).rows()) == [
        (1, "one"),
        (2, ""),
        (3, '\ttwo, "2" '),
        (4, ""),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b'x,b,a\n1,"p\nq",s\n2,,t\n\n'),
        ("a.tsv", b"x\tb\ta\r\n1\tp\ts\r\n2\t\tt\r\n\r\n\r\n"),
        ("a.jsonl", b'{"a": "s", "b": "p"}\n{"b": null, "a": "t"}\n'),
    ],
)
def test_rows_of_a_table_are_those_of_the_table_read_whole(
    write, name, content
):
    path = write(name, content)
    rows = list(AskedTexts(path, ["a", "b"]).rows())
    table = read_cells(path, {"a": "a", "b": "b"})
    assert [number for number, _ in rows] == table.numbers
    columns = zip(table.columns["a"], table.columns["b"])
    assert [cells for _, cells in rows] == [*columns]
    assert rows[1][1] == ("t", "")


def test_columns_may_be_positions(write):
    path = write("a.tsv", b"p\tq\nr\ts\n")
    assert list(AskedTexts(path, [1]).rows()) == [(1, "q"), (2, "s")]
    assert [column_of(name) for name in ("1", "a1")] == [1, "a1"]


def test_a_large_file_is_not_held_in_memory(tmp_path):
    path = tmp_path / "a.txt"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
        file.seek(0)
        file.write(b"first\nsecond\n")
    rows = AskedTexts(str(path)).rows()
    assert [next(rows), next(rows)] == [(1, "first"), (2, "second")]
    rows.close()


@pytest.mark.parametrize(
    ("name", "content", "columns", "message"),
    [
        ("a.txt", b"a\n\xff\n", None, "line 2, .*byte 0xff"),
        ("a.txt", b"a\nb\0\n", None, "line 2, .*a NUL byte"),
        ("a.csv", b"a,b\n1\n", ["a"], r"line 2, .*2 field\(s\).*Received: 1"),
    ],
)
def test_a_row_at_fault_is_named(write, name, content, columns, message):
    path = write(name, content)
    with pytest.raises(ValueError, match=f"(?s){path}, {message}"):
        list(AskedTexts(path, columns).rows())


def test_a_missing_file_is_named(tmp_path):
    path = pathlib.Path(tmp_path, "none.csv")
    with pytest.raises(ValueError, match=f"Received: {path}"):
        AskedTexts(str(path), ["a"])
