"""The job with a task without a model."""

import json

import pytest

from keras_bert.artifacts import manifest_of
from keras_bert.cli.prediction.input_files import TextInputs
from keras_bert.cli.prediction.job import answer_file

_ROWS = 23


class _Lengths:
    """Task that predicts the length of a text; can stop after some calls."""

    def __init__(self, num_calls=None):
        self.seen = []
        self._num_calls = num_calls

    def predict(self, texts):
        if len(self.seen) == self._num_calls:
            raise KeyboardInterrupt
        self.seen.append(texts)
        return [{"length": len(text)} for text in texts]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(TextInputs, "rows_at_once", 5)


@pytest.fixture
def place(tmp_path):
    text = "".join(f"{'é' * (row % 4)}\n" for row in range(_ROWS))
    (tmp_path / "in.txt").write_text(text, encoding="utf-8")
    return tmp_path


def _answer(
    place,
    task=None,
    settings=None,
    name="in.txt",
    columns=None,
    overwrite=False,
):
    task = task or _Lengths()
    answer_file(
        TextInputs(str(place / name), columns),
        str(place / "out.jsonl"),
        lambda: task,
        settings or {},
        overwrite,
    )
    return task


def _stop(place, num_calls, settings=None):
    with pytest.raises(KeyboardInterrupt):
        _answer(place, _Lengths(num_calls), settings)


def _files(place):
    return sorted(path.name for path in place.iterdir())


def test_every_row_has_a_line_in_order(place):
    task = _answer(place)
    lines = (place / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"line": row + 1, "prediction": {"length": row % 4}}
        for row in range(_ROWS)
    ]
    assert [len(texts) for texts in task.seen] == [5, 5, 5, 5, 3]
    assert manifest_of(place / "out.jsonl")[1]["rows"] == _ROWS
    assert _files(place) == ["in.txt", "manifest-out.jsonl.json", "out.jsonl"]


def test_pairs_are_given_as_pairs(place):
    (place / "in.tsv").write_text("a\tb\nx\ty\nz\t\n")
    task = _answer(place, name="in.tsv", columns=["b", "a"])
    assert task.seen == [[("y", "x"), ("", "z")]]


@pytest.mark.parametrize("num_calls", [0, 1, 2, 4])
def test_a_stopped_run_goes_on_after_its_last_whole_piece(place, num_calls):
    _answer(place)
    expected = (place / "out.jsonl").read_bytes()
    for name in ("out.jsonl", "manifest-out.jsonl.json"):
        (place / name).unlink()
    _stop(place, num_calls)
    assert "out.jsonl" not in _files(place)
    task = _answer(place)
    assert [len(texts) for texts in task.seen] == [5, 5, 5, 5, 3][num_calls:]
    assert (place / "out.jsonl").read_bytes() == expected
    assert _files(place) == ["in.txt", "manifest-out.jsonl.json", "out.jsonl"]


def test_a_run_with_other_settings_is_not_gone_on_with(place):
    _stop(place, 2, {"model": "a"})
    with pytest.raises(ValueError, match="model was 'a', now 'b'"):
        _answer(place, settings={"model": "b"})
    task = _answer(place, settings={"model": "b"}, overwrite=True)
    assert len(task.seen) == 5


def test_another_input_is_another_run(place):
    _stop(place, 2)
    with open(place / "in.txt", "a") as file:
        file.write("more\n")
    with pytest.raises(ValueError, match="input was"):
        _answer(place)


def test_a_row_at_fault_is_told_before_any_answer(place):
    (place / "in.csv").write_text("a\n" + "x\n" * 20 + "x,y\n")
    with pytest.raises(ValueError, match="in.csv, line 22"):
        _answer(place, name="in.csv", columns=["a"])
    assert _files(place) == ["in.csv", "in.txt"]


def test_no_rows_give_an_empty_file(place):
    (place / "in.txt").write_bytes(b"")
    _answer(place)
    assert (place / "out.jsonl").read_bytes() == b""
