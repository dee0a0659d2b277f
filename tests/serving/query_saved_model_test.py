"""keras_bert/cli/query_saved_model.py, which predicts without a server."""

import json
import pathlib
import subprocess
import sys

import pytest

from keras_bert.cli import query_saved_model

_ROOT = pathlib.Path(__file__).parents[2]
_CONTEXT = "d\xf6g d\xf6g d\xf6g"
_ALONE = """
import runpy, sys
sys.modules["keras_bert"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def ask(monkeypatch, capsys):
    """Return a function that runs the program; returns output and error."""

    def ask(directory, *arguments):
        argv = ["query_saved_model", f"--model_dir={directory}", *arguments]
        monkeypatch.setattr(sys, "argv", argv)
        error = ""
        try:
            query_saved_model.main()
        except SystemExit as stop:
            error = stop.code
        return capsys.readouterr().out, error

    return ask


def _assert_answers(printed):
    answers = json.loads(printed)
    place = slice(answers["start"][0], answers["end"][0])
    data = _CONTEXT.encode()[place]
    assert answers["answer"] == [data.decode()] and data


def test_questions_are_answered(ask, saved_models):
    flags = ("--question=who", f"--context={_CONTEXT}")
    _assert_answers(ask(saved_models["answers"], *flags)[0])


def test_the_newest_version_is_asked(ask, saved_models, tmp_path):
    for name in ("0", "latest", "9"):  # The last one is not a SavedModel.
        (tmp_path / name).mkdir()
    (tmp_path / "0" / "saved_model.pb").touch()
    (tmp_path / "latest" / "saved_model.pb").touch()
    (tmp_path / "2").symlink_to(saved_models["scores"])
    assert len(json.loads(ask(tmp_path, "--text=a")[0])["score"]) == 1
    printed, error = ask(tmp_path)
    assert (printed, error) == (
        "",
        "Error: The model takes text. Received: none.",
    )
    _, error = ask(tmp_path / "9", "--text=a")
    assert "must be a SavedModel, or a directory with numbered" in error


def test_inputs_of_other_lengths_are_named(ask, saved_models):
    flags = ("--text=a", "--text=b", "--choice=c")
    _, error = ask(saved_models["scores"], *flags)
    assert "Received: {'text': 2, 'choices': 1}." in error


@pytest.mark.exhaustive
def test_only_tensorflow_is_needed(saved_models):
    flags = (f"--model_dir={saved_models['answers']}", "--question=who")
    program = _ROOT / "keras_bert/cli/query_saved_model.py"
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            _ALONE,
            program,
            *flags,
            f"--context={_CONTEXT}",
        ],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    _assert_answers(result.stdout)
