"""The job with a task without a model."""

import json

import pytest

from keras_bert.cli.prediction.input_files import TextInputs
from keras_bert.cli.prediction.job import answer_file
from keras_bert.files.manifest import manifest_of

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


def _answer(place, task, settings=None, overwrite=False):
    answer_file(
        TextInputs(str(place / "in.txt")),
        str(place / "out.jsonl"),
        lambda: task,
        settings or {},
        overwrite,
    )
    return [len(texts) for texts in task.seen]


def _stop(place, num_calls, settings=None):
    with pytest.raises(KeyboardInterrupt):
        _answer(place, _Lengths(num_calls), settings)


def _files(place):
    return sorted(path.name for path in place.iterdir())


@pytest.mark.parametrize("num_calls", [None, 0, 1, 2, 4])
def test_a_stopped_run_goes_on_after_its_last_whole_piece(place, num_calls):
    if num_calls is not None:
        _stop(place, num_calls)
        assert "out.jsonl" not in _files(place)
    sizes = _answer(place, _Lengths())
    assert sizes == [5, 5, 5, 5, 3][num_calls or 0 :]
    lines = (place / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"line": row + 1, "prediction": {"length": row % 4}}
        for row in range(_ROWS)
    ]
    assert manifest_of(place / "out.jsonl")[1]["rows"] == _ROWS
    assert _files(place) == ["in.txt", "manifest-out.jsonl.json", "out.jsonl"]


def test_a_run_with_other_settings_or_input_is_not_gone_on_with(place):
    _stop(place, 2, {"model": "a"})
    with pytest.raises(ValueError, match="model was 'a', now 'b'"):
        _answer(place, _Lengths(), {"model": "b"})
    with open(place / "in.txt", "a") as file:
        file.write("more\n")
    with pytest.raises(ValueError, match="input was"):
        _answer(place, _Lengths(), {"model": "a"})
    assert len(_answer(place, _Lengths(), {"model": "b"}, True)) == 5


def test_a_row_at_fault_is_told_before_any_answer(place):
    (place / "in.txt").write_bytes(b"x\n" * 21 + b"\xff\n")
    with pytest.raises(ValueError, match="in.txt, line 22"):
        _answer(place, None)
    assert _files(place) == ["in.txt"]


def test_no_rows_give_an_empty_file(place):
    (place / "in.txt").write_bytes(b"")
    _answer(place, _Lengths())
    assert (place / "out.jsonl").read_bytes() == b""
