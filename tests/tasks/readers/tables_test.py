import csv
import io
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.cli.splits.splits import file_splits
from keras_bert.cli.splits.splits import label_names
from keras_bert.files.rows import read_dicts
from keras_bert.tasks.readers.tables import Table
from keras_bert.tasks.readers.tables import read_cells
from keras_bert.tasks.readers.tables import read_columns
from keras_bert.tasks.readers.tables import read_table
from keras_bert.tasks.readers.tables import with_label_lists

_BY_NAME = {"texts": {"text": "x"}, "labels": {"label": "y"}}
_BY_NUMBER = {"texts": {"text": 0}, "labels": {"label": 1}}


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("tsv", "x\ty\nä\t1\n ö \t0"),
        ("txt", "x\ty\nä\t1\n ö \t0"),
        ("csv", "x,y\nä,1\n ö ,0"),
        ("jsonl", '{"x":"ä","y":1}\n{"x":" ö ","y":0}'),
    ],
)
def test_byte_order_mark_and_line_ends_do_not_matter(write, kind, content):
    for mark, end in itertools.product(("", "\ufeff"), ("\n", "\r\n")):
        for last in ("", end, end + end):
            text = mark + content.replace("\n", end) + last
            table = read_table(write(f"a.{kind}", text), **_BY_NAME)
            expected = {"text": ["ä", " ö "], "label": ["1", "0"]}
            assert table.columns == expected


def test_quotes_are_plain_characters_in_tsv(write):
    content = 'x\ty\n"a\t1\nb "c" ""\t0\n'
    table = read_table(write("a.tsv", content), **_BY_NAME)
    assert table.columns["text"] == ['"a', 'b "c" ""']


def test_only_a_line_feed_ends_a_line_of_tsv(write):
    text = "a\u2028b\x0bc\x85d\x1ce\rf"
    table = read_table(write("a.tsv", f"{text}\t1\ng\t0"), **_BY_NUMBER)
    assert table.columns["text"] == [text, "g"]


def test_values_of_json_are_given_as_they_are_written(write):
    lines = [1, -2.5, True, "é", "NaN", 1.0, 1e300, float("nan"), None]
    content = "\n".join(json.dumps({"x": value}) for value in lines)
    table = read_cells(write("a.jsonl", content), {"x": "x"})
    assert table.columns == {
        "x": ["1", "-2.5", "true", "é", "NaN", "1", "1e+300", "", ""]
    }


def test_a_cell_of_csv_may_be_long(write):
    text = "a, b\n" * 100_000
    table = read_table(write("a.csv", f'x,y\n"{text}",1\n'), **_BY_NAME)
    assert table.texts() == [text]


_CELLS = st.text('ab1,;" \t\r\n\u2028é', min_size=1)
_ROWS = st.lists(st.tuples(_CELLS, _CELLS), min_size=1, max_size=6)


@given(_ROWS)
@settings(deadline=None, max_examples=60, derandomize=True)
def test_csv_gives_back_what_was_written(tmp_path_factory, rows):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
    starts = []
    for row in [("x", "y"), *rows]:
        starts.append(stream.getvalue().count("\n") + 1)
        writer.writerow(row)
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_bytes(stream.getvalue().encode())
    table = read_cells(str(path), {"a": "x", "b": "y"})
    assert [*zip(*table.columns.values())] == rows
    assert table.numbers == starts[1:]


@given(st.binary(max_size=40), st.sampled_from(["csv", "tsv", "jsonl"]))
@settings(deadline=None, max_examples=100)
def test_any_bytes_are_a_table_or_a_value_error(
    tmp_path_factory, content, kind
):
    path = tmp_path_factory.mktemp("any") / f"a.{kind}"
    path.write_bytes(content)
    column = "x" if kind == "jsonl" else 0
    try:
        table = read_cells(str(path), {"a": column})
    except ValueError as error:
        assert str(path) in str(error)
    else:
        assert len(table) == len(table.columns["a"]) > 0


_LINE = b'{"x": "b", "y": 1}\n'


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.tsv", b"", "line 1, must contain the column 'x'.*: none"),
        ("a.jsonl", b"\xef\xbb\xbf\n", "jsonl must contain rows, but is empty"),
        ("a.tsv", b"x\ty\n\xe9\t1", "2, must be UTF-8.*0xe9.*Save"),
        ("a.tsv", b"x\ty\n\nb\0\t1", "line 3, .*a NUL byte"),
        ("a.tsv", b"text\ty\nb\t1", "'x' once; .*: 'text', 'y'"),
        ("a.csv", b"x\ty\nb\t1", "Line 1 has tabs.* .tsv"),
        ("a.tsv", b"x,y\nb,1", "'x,y'.*name it .csv"),
        ("a.tsv", b"x\ty\nb\t1\nc\n", r"line 3, .*2 .*\['c'\].*tab"),
        ("a.tsv", b"x\ty\nb\t1\n\nc\t1", r"line 3, .*\[''\]"),
        ("a.csv", b'x,y\n"b\n",1\nw, c,1', "line 4, .*: 3 field.*In a .csv"),
        ("a.csv", b'x,y\nb,1\n"c,1\nd,0\n', "line 3, .*unexp.*double"),
        ("a.csv", b"x;y\nb, c;1", "column 'x'.*y'. Line 1 has semicolons"),
        ("a.jsonl", _LINE + b'{"x": "b"}', "line 2, .*key 'y'.*'x"),
        ("a.jsonl", _LINE + b"\n" + _LINE, "line 2, .*JSON object.*: ''"),
        ("a.jsonl", b'{"x": ["b"]}', r"number under .*: \['b'\]"),
        ("a.jsonl", b'{"x": "\\ud800"}', r"valid Unicode.*'\\ud800'"),
        ("a.tsv", b"x\ty\n \t1", "line 2, must have a text.*' '. Fill"),
        ("a.tsv", b"x\ty\nb\t", "line 2, .*a label. .*: ''"),
        ("a.csv", b"x,y\nb,NaN", "line 2, .*a label.*'NaN', which marks"),
        ("a.csv", b"x,y\nb,False\nc,0", "line 2, .*number as label.*'False'"),
        ("a.xlsx", b"x", "must be a .csv, .*Received: .*a.xlsx"),
    ],
)
def test_a_fault_names_file_line_and_what_there_is(
    write, name, content, message
):
    with pytest.raises(ValueError, match=f"(?s){message}"):
        read_table(write(name, content), **_BY_NAME)


def test_columns_come_in_the_order_of_their_names(write):
    path = write("a.csv", 'x,y,z\n"a, b",1,d\ne,0,f\n')
    expected = ["a, b", "e"], ["1", "0"], ["d", "f"]
    assert read_columns(path, *"xyz") == expected
    assert read_columns(path, *"zyx") == expected[::-1]
    path = write("a.tsv", "a, b\t1\td\ne\t0\tf\n")
    assert read_columns(path, 2, 1) == (expected[2], expected[1])


@pytest.mark.parametrize(
    "columns, message",
    [
        (("x", "mood"), "column 'mood' once.*Received: 'x', 'y'"),
        (("y",), "line 3, must have a y. Received: ''"),
        ((), r"header names.*columns=\[\]"),
        (("x", 1), r"header names.*columns=\['x', 1\]"),
        ((2,), r"line 1, .*position 2, .*2 column\(s\)"),
        ((-1,), r"line 1, .*position -1"),
    ],
)
def test_columns_that_cannot_be_read_are_named(write, columns, message):
    with pytest.raises(ValueError, match=message):
        read_columns(write("a.csv", "x,y\na,1\nb,\n"), *columns)


def test_json_has_no_columns_by_number(write):
    with pytest.raises(ValueError, match="a.jsonl must be a key.*: 0"):
        read_columns(write("a.jsonl", '{"0": "a"}'), 0)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "a\tb\r\n\n", [{"text": "a\tb"}, {"text": ""}]),
        ("a.csv", 'x,y\n1,"a\nb"\n\n', [{"x": "1", "y": "a\nb"}]),
        ("a.tsv", 'x\ty\n1\t"a\n', [{"x": "1", "y": '"a'}]),
        ("a.jsonl", '{"x": ["a", 1]}\n\n', [{"x": ["a", 1]}]),
    ],
)
def test_rows_have_all_columns(write, name, content, expected):
    assert [*read_dicts(write(name, content))] == expected


def test_rows_at_fault_are_named(write):
    for name, content, message in (
        ("a.csv", "x;y\nb, c;1\n", r"line 2, .*2 field.*semicolons"),
        ("a.jsonl", "{}\n1\n", "a.jsonl, line 2, must be a JSON object"),
    ):
        with pytest.raises(ValueError, match=message):
            [*read_dicts(write(name, content))]


def test_rows_at_fault_can_be_left_out(write):
    path = write("a.tsv", "x\ty\na\t1\nb\nc\t0\td\ne\t2\n")
    faults = []
    table = read_cells(path, {"text": "x"}, faults.append)
    assert table.columns == {"text": ["a", "e"]}
    assert table.numbers == [2, 5]
    assert "line 3" in faults[0] and "line 4" in faults[1]


def _table(*cells):
    columns = {"text": ["a"] * len(cells), "label": [*cells]}
    return Table("x.csv, line", [n + 2 for n in range(len(cells))], columns)


def test_a_cell_has_several_labels_or_none():
    table = with_label_lists(_table("b, a", "", " ", "a"), ",")
    assert table.columns["label"] == [("b", "a"), (), (), ("a",)]
    assert table.columns["text"] == ["a"] * 4
    assert table.where(3) == "x.csv, line 5"
    for cell, message in (
        ("a,NaN", "x.csv, line 3, must have a label. Received: 'NaN'"),
        ("b,a,b", "x.csv, line 3, must have each label once.*'b,a,b'"),
    ):
        with pytest.raises(ValueError, match=message):
            with_label_lists(_table("a", cell), ",")


def test_the_names_are_those_of_all_cells(write):
    rows = {"train": "x,c;a\ny,\n", "dev": "z,b\n"}
    paths = {k: write(f"{k}.csv", f"text,label\n{x}") for k, x in rows.items()}
    splits = file_splits(paths, {"text": "text"}, "label", 0, ";")
    assert splits.is_multi_label
    assert splits.train.columns["label"] == [("c", "a"), ()]
    with pytest.raises(ValueError, match="dev.csv, line 2, .*a, c.*'b'"):
        label_names(splits)
