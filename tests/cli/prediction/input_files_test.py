"""Input files: formats, rows and models that accept them."""

import json
import types

import pytest

from keras_bert.cli.prediction.input_files import ChoiceInputs
from keras_bert.cli.prediction.input_files import QuestionInputs
from keras_bert.cli.prediction.input_files import TextInputs
from keras_bert.cli.prediction.input_files import WordInputs
from keras_bert.cli.prediction.input_files import open_input_file
from keras_bert.tasks.readers.tables import read_cells

_QAS = [{"id": "q1", "question": "Who?"}]
_SQUAD = {"data": [{"paragraphs": [{"context": "A man.", "qas": _QAS}]}]}
_SWAG = "sent1,sent2,ending0,ending1\nthe dog,it,sees,likes\na cat,,runs,eats\n"


def _model(*text_inputs, **settings):
    return types.SimpleNamespace(text_inputs=text_inputs, settings=settings)


_QUESTIONS = _model("question", "context")
_CHOICES = _model("text", "choices")
_TAGGER = _model("text")
_TAGGER.predict_words = list
_CLASSIFIER = _model("text", is_pair=None)
_PAIRS = _model("text", "text_pair", is_pair=True)
_SINGLE = _model("text", is_pair=False)


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return write


_LINES = [(1, "one"), (2, ""), (3, '\ttwo, "2" '), (4, "")]
_TEXTS = {
    "a.txt": '\ufeffone\r\n\n\ttwo, "2" \n\n',
    "a.csv": "text,n\nx,1\n",
    "a.tsv": "q\tc\nx\ty\n",
    "a.json": json.dumps(_SQUAD),
    "swag.csv": _SWAG,
    "a.conll": "the\tO\nman\tX\n\n\nruns\tO\n",
}


@pytest.mark.parametrize(
    ("name", "flags", "kind", "rows"),
    [
        ("a.txt", {}, TextInputs, _LINES),
        ("a.csv", {}, TextInputs, [(2, "x")]),
        ("a.tsv", {"columns": ["q", "c"]}, TextInputs, [(2, ("x", "y"))]),
        ("a.tsv", {"columns": [1]}, TextInputs, [(1, "c"), (2, "y")]),
        ("a.json", {}, QuestionInputs, [("q1", ("Who?", "A man."))]),
        ("swag.csv", {}, ChoiceInputs, None),
        ("swag.csv", {"columns": ["sent1"]}, TextInputs, None),
        ("a.conll", {}, WordInputs, [(1, ["the", "man"]), (5, ["runs"])]),
        (
            "a.conll",
            {"word_column": 1},
            WordInputs,
            [(1, ["O", "X"]), (5, ["O"])],
        ),
    ],
)
def test_the_form_is_known_by_name_header_and_flags(
    write, name, flags, kind, rows
):
    input_file = open_input_file(write(name, _TEXTS[name]), **flags)
    assert type(input_file) is kind
    assert rows is None or [*input_file.rows()] == rows


_CHOICES_NEEDED = "a model that takes text and choices. Received: Simple"
_TAGS_NEEDED = "a model for token classification. Received: SimpleN"


@pytest.mark.parametrize(
    ("name", "columns", "model", "message"),
    [
        ("a.json", None, _QUESTIONS, None),
        ("a.json", None, _CLASSIFIER, "a model that takes question and cont"),
        ("swag.csv", None, _CHOICES, None),
        ("swag.csv", None, _TAGGER, _CHOICES_NEEDED),
        ("a.conll", None, _TAGGER, None),
        ("a.conll", None, _QUESTIONS, _TAGS_NEEDED),
        ("a.txt", None, _TAGGER, None),
        ("a.txt", None, _CHOICES, "must accept texts.*columns of SWAG"),
        ("a.csv", ["a"], _PAIRS, "pairs.*1 column"),
        ("a.csv", ["a", "b"], _SINGLE, "single texts.*2 column"),
        ("a.csv", ["a", "b"], _CLASSIFIER, None),
    ],
)
def test_a_file_is_for_some_models(write, name, columns, model, message):
    input_file = open_input_file(write(name, _TEXTS[name]), columns)
    if message is None:
        input_file.check(model)
    else:
        with pytest.raises(ValueError, match=message):
            input_file.check(model)


def test_choices_are_counted_by_their_columns(write):
    found = [*open_input_file(write("a.csv", _SWAG)).rows()]
    assert [line for line, _ in found] == [2, 3]
    assert [(x.context, x.choices, x.label) for _, x in found] == [
        ("the dog", ("it sees", "it likes"), None),
        ("a cat", ("runs", "eats"), None),
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"data": []}', "at least one question"),
        ("a.csv", _SWAG + ",it,a,b\n", "line 4, must have a sent1"),
        ("a.csv", "text,b\n1\n", r"line 2, .*2 field\(s\).*Received: 1"),
        ("a.conll", "a b\nc\n", "line 2, must have 2 columns"),
        ("a.conll", "\n", "must contain lines with a word"),
        ("a.txt", b"a\n\xff\n", "(?s)line 2, .*byte 0xff"),
        ("a.txt", b"a\nb\0\n", "(?s)line 2, .*a NUL byte"),
    ],
)
def test_a_row_at_fault_is_named(write, name, text, message):
    with pytest.raises(ValueError, match=message):
        [*open_input_file(write(name, text)).rows()]


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


def test_a_large_file_is_not_held_in_memory(tmp_path):
    path = tmp_path / "a.txt"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
        file.seek(0)
        file.write(b"first\nsecond\n")
    rows = TextInputs(str(path)).rows()
    assert [next(rows), next(rows)] == [(1, "first"), (2, "second")]
    rows.close()
