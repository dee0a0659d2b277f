"""Input files: formats, rows and models that accept them."""

import json
import types

import pytest

from keras_bert.cli.prediction.input_files import ChoiceInputs
from keras_bert.cli.prediction.input_files import QuestionInputs
from keras_bert.cli.prediction.input_files import TextInputs
from keras_bert.cli.prediction.input_files import WordInputs
from keras_bert.cli.prediction.input_files import open_input_file
from keras_bert.rows import column_of
from keras_bert.tasks.labelled.tables import read_cells

_QAS = [{"id": "q1", "question": "Who?"}, {"id": "q2", "question": "Where?"}]
_SQUAD = {"data": [{"paragraphs": [{"context": "A man.", "qas": _QAS}]}]}
_SWAG = "sent1,sent2,ending0,ending1\nthe dog,it,sees,likes\na cat,,runs,eats\n"


def _model(*text_inputs, words=False, **settings):
    task = types.SimpleNamespace(text_inputs=text_inputs, settings=settings)
    if words:
        task.predict_words = lambda rows: [["O"] * len(row) for row in rows]
    return task


_QUESTIONS = _model("question", "context")
_CHOICES = _model("text", "choices")
_TAGGER = _model("text", words=True)
_CLASSIFIER = _model("text", is_pair=None)


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return write


@pytest.mark.parametrize(
    ("name", "text", "flags", "kind", "rows"),
    [
        ("a.txt", "ä\n\n", {}, TextInputs, [(1, "ä"), (2, "")]),
        ("a.csv", "text,n\nx,1\n", {}, TextInputs, [(2, "x")]),
        (
            "a.tsv",
            "q\tc\nx\ty\n",
            {"columns": ["q", "c"]},
            TextInputs,
            [(2, ("x", "y"))],
        ),
        ("a.json", json.dumps(_SQUAD), {}, QuestionInputs, None),
        ("a.csv", _SWAG, {}, ChoiceInputs, None),
        ("a.csv", _SWAG, {"columns": ["sent1"]}, TextInputs, None),
        (
            "a.conll",
            "the\tO\nman\tX\n\nruns\tO\n",
            {},
            WordInputs,
            [(1, ["the", "man"]), (4, ["runs"])],
        ),
        (
            "a.conll",
            "the\n\n\nman\n",
            {},
            WordInputs,
            [(1, ["the"]), (4, ["man"])],
        ),
        (
            "a.txt",
            "O the\nX man\n",
            {"word_column": 1},
            WordInputs,
            [(1, ["the", "man"])],
        ),
    ],
)
def test_the_form_is_known_by_name_header_and_flags(
    write, name, text, flags, kind, rows
):
    input_file = open_input_file(write(name, text), **flags)
    assert type(input_file) is kind
    assert rows is None or [*input_file.rows()] == rows


def test_questions_need_no_answers(write):
    input_file = open_input_file(write("a.json", json.dumps(_SQUAD)))
    assert input_file.place == "id"
    assert [*input_file.rows()] == [
        ("q1", ("Who?", "A man.")),
        ("q2", ("Where?", "A man.")),
    ]


@pytest.mark.parametrize("is_json", [False, True])
def test_choices_are_counted_by_their_columns(write, is_json):
    path = write("a.csv", _SWAG)
    if is_json:
        names, *rows = [line.split(",") for line in _SWAG.splitlines()]
        lines = [json.dumps(dict(zip(names, row))) for row in rows]
        path = write("a.jsonl", "\n".join(lines))
    found = [*open_input_file(path).rows()]
    assert [line for line, _ in found] == ([1, 2] if is_json else [2, 3])
    assert [(x.context, x.choices, x.label) for _, x in found] == [
        ("the dog", ("it sees", "it likes"), None),
        ("a cat", ("runs", "eats"), None),
    ]


@pytest.mark.parametrize(
    ("name", "text", "model", "others"),
    [
        ("a.json", json.dumps(_SQUAD), _QUESTIONS, [_CLASSIFIER, _CHOICES]),
        ("a.csv", _SWAG, _CHOICES, [_CLASSIFIER, _TAGGER]),
        ("a.conll", "the O\n", _TAGGER, [_CLASSIFIER, _QUESTIONS]),
        ("a.txt", "the\n", _TAGGER, [_CHOICES, _QUESTIONS]),
    ],
)
def test_a_file_is_for_one_kind_of_model(write, name, text, model, others):
    input_file = open_input_file(write(name, text))
    input_file.check(model)
    for other in others:
        with pytest.raises(ValueError, match="Received: SimpleNamespace, wh"):
            input_file.check(other)


@pytest.mark.parametrize(
    ("model", "num_columns", "message"),
    [
        (_QUESTIONS, 1, "pairs.*1 column"),
        (_model("text", "text_pair", is_pair=True), 1, "pairs.*1 column"),
        (_model("text", is_pair=False), 2, "single texts.*2 column"),
        (_QUESTIONS, 2, None),
        (_CLASSIFIER, 1, None),
        (_CLASSIFIER, 2, None),
    ],
)
def test_a_model_takes_texts_or_pairs(write, model, num_columns, message):
    columns = ["a", "b"][:num_columns]
    input_file = open_input_file(write("a.csv", "a,b\nx,y\n"), columns)
    if message is None:
        input_file.check(model)
        return
    with pytest.raises(ValueError, match=message):
        input_file.check(model)


def test_words_get_tags(write):
    input_file = open_input_file(write("a.conll", "the O\nman O\n\nruns O\n"))
    rows = [row for _, row in input_file.rows()]
    assert input_file.answers(_TAGGER, rows) == [["O", "O"], ["O"]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"data": []}', "at least one question"),
        ("a.csv", _SWAG + ",it,a,b\n", "line 4, must have a sent1"),
        ("a.conll", "a b\nc\n", "line 2, must have 2 columns"),
        ("a.conll", "\n", "must contain lines with a word"),
    ],
)
def test_a_row_at_fault_is_named(write, name, text, message):
    with pytest.raises(ValueError, match=message):
        [*open_input_file(write(name, text)).rows()]


def test_each_line_of_plain_text_is_a_row_and_may_be_empty(write):
    path = write("a.txt", b'\xef\xbb\xbfone\r\n\n\ttwo, "2" \n\n')
    assert list(TextInputs(path).rows()) == [
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
    rows = list(TextInputs(path, ["a", "b"]).rows())
    table = read_cells(path, {"a": "a", "b": "b"})
    assert [number for number, _ in rows] == table.numbers
    columns = zip(table.columns["a"], table.columns["b"])
    assert [cells for _, cells in rows] == [*columns]
    assert rows[1][1] == ("t", "")


def test_columns_may_be_positions(write):
    path = write("a.tsv", b"p\tq\nr\ts\n")
    assert list(TextInputs(path, [1]).rows()) == [(1, "q"), (2, "s")]
    assert [column_of(name) for name in ("1", "a1")] == [1, "a1"]


def test_a_large_file_is_not_held_in_memory(tmp_path):
    path = tmp_path / "a.txt"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
        file.seek(0)
        file.write(b"first\nsecond\n")
    rows = TextInputs(str(path)).rows()
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
def test_a_text_at_fault_is_named(write, name, content, columns, message):
    path = write(name, content)
    with pytest.raises(ValueError, match=f"(?s){path}, {message}"):
        list(TextInputs(path, columns).rows())
