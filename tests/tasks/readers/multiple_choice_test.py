import csv
import json

import pytest

from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample
from keras_bert.tasks.readers.multiple_choice import read_codah
from keras_bert.tasks.readers.multiple_choice import read_swag

_ROW = {
    "video-id": "v1",
    "startphrase": "He sits. He, then",
    "sent1": "He sits.",
    "sent2": "He, then",
    "ending0": "eats.",
    "ending1": 'says "no".',
    "ending2": "flies,\nfar.",
    "ending3": "sits.",
    "label": 2,
}
_CHOICES = (
    "He, then eats.",
    'He, then says "no".',
    "He, then flies,\nfar.",
    "He, then sits.",
)
_CODAH_ROWS = (
    'o\tA "dog. It\tbarks.\tmeows.\tsings.\treads.\t0\r\n'
    "i\tb\tc\td\te\tf\t3\r\n"
)


@pytest.fixture
def write_swag(tmp_path):
    """Write rows as CSV or JSON lines and return the path."""

    def write_swag(kind, rows):
        path = tmp_path / f"swag.{kind}"
        with path.open("w", encoding="utf-8", newline="") as file:
            if kind == "csv":
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
            else:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        return str(path)

    return write_swag


@pytest.mark.parametrize(
    "kind, first, second", [("csv", 2, 4), ("jsonl", 1, 2)]
)
def test_choices_of_swag_begin_the_second_sentence(
    write_swag, kind, first, second
):
    path = write_swag(kind, [_ROW, {**_ROW, "sent2": "", "label": 0}])
    assert read_swag(path) == [
        MultipleChoiceExample("He sits.", _CHOICES, 2, f"{path}, line {first}"),
        MultipleChoiceExample(
            "He sits.",
            ("eats.", 'says "no".', "flies,\nfar.", "sits."),
            0,
            f"{path}, line {second}",
        ),
    ]


@pytest.mark.parametrize("hidden", [{}, {"label": -1}])
def test_the_test_split_of_swag_has_no_labels(write_swag, hidden):
    row = {key: value for key, value in _ROW.items() if key != "label"}
    (example,) = read_swag(
        write_swag("jsonl", [{**row, **hidden}]), has_labels=False
    )
    assert (example.choices, example.label) == (_CHOICES, None)


def test_another_number_of_endings_may_be_asked_for(write_swag):
    path = write_swag("csv", [{**_ROW, "ending4": "ends.", "label": 4}])
    (example,) = read_swag(path, num_choices=5)
    assert example.choices == (*_CHOICES, "He, then ends.")
    assert example.label == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": 4}, "must have a label from 0 to 3. .*'4'"),
        ({"label": -1}, "must have a label from 0 to 3. .*'-1'"),
        ({"label": True}, "must have a label from 0 to 3. .*'true'"),
        ({"sent1": " "}, "sent1.*' '"),
        ({"ending1": " "}, "ending1.*' '"),
    ],
)
def test_bad_rows_of_swag_are_named(write_swag, changes, message):
    path = write_swag("jsonl", [_ROW, {**_ROW, **changes}])
    with pytest.raises(ValueError, match=f"swag.jsonl, line 2, .*{message}"):
        read_swag(path)


def test_codah_has_its_columns_in_order(write):
    path = write("codah.tsv", _CODAH_ROWS)
    assert read_codah(path) == [
        MultipleChoiceExample(
            'A "dog. It',
            ("barks.", "meows.", "sings.", "reads."),
            0,
            f"{path}, line 1",
        ),
        MultipleChoiceExample("b", ("c", "d", "e", "f"), 3, f"{path}, line 2"),
    ]


def test_codah_may_have_no_labels_and_fewer_choices(write):
    path = write("codah.tsv", "o\ta\tb\tc\n")
    (example,) = read_codah(path, num_choices=2, has_labels=False)
    assert (example.choices, example.label) == (("b", "c"), None)


@pytest.mark.parametrize(
    "content, message",
    [
        ("o\ta\tb\tc\td\te\t4\n", "label from 0 to 3. Received: '4'"),
        ("o\ta\tb\t\td\te\t0\n", "answer1. Received: ''"),
        ("o\t \tb\tc\td\te\t0\n", "prompt. Received: ' '"),
    ],
)
def test_bad_rows_of_codah_are_named(write, content, message):
    path = write("codah.tsv", _CODAH_ROWS + content)
    with pytest.raises(ValueError, match=f"codah.tsv, line 3, .*{message}"):
        read_codah(path)
