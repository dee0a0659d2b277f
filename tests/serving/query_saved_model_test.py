"""keras_bert/cli/query_saved_model.py, which predicts without a server."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.exhaustive

_REPOSITORY = pathlib.Path(__file__).parents[2]
_CONTEXT = "d\xf6g d\xf6g d\xf6g"
# The requests for each model.
_CALLS = {
    "question": ("answers", ["--question=who", f"--context={_CONTEXT}"]),
    "choices": ("choices", ["--text=the", "--choice=dog", "--choice=cat"]),
    "text for question": ("answers", ["--text=a"]),
    "nothing": ("scores", []),
    "newest": ("versions", ["--text=a"]),
    "no version": ("no version", ["--text=a"]),
    "two lengths": ("scores", ["--text=a", "--text=b", "--choice=c"]),
}
# Runs all calls without keras_bert in one process, because TensorFlow starts
# slowly.
_PROGRAM = """
import contextlib, io, json, runpy, sys
sys.modules["keras_bert"] = None
found = {}
for name, arguments in json.loads(sys.argv[1]).items():
    sys.argv = ["keras_bert/cli/query_saved_model.py", *arguments]
    printed = io.StringIO()
    error = ""
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as exit:
            error = exit.code or ""
    found[name] = printed.getvalue(), error
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(saved_models):
    """Return the output and the error of each call by name."""
    versions = saved_models["scores"].parent
    for other in ("0", "latest", "9"):  # The last one is not a SavedModel.
        (versions / other).mkdir(exist_ok=True)
    (versions / "0" / "saved_model.pb").touch()
    (versions / "latest" / "saved_model.pb").touch()
    directories = {
        **saved_models,
        "versions": versions,
        "no version": versions / "9",
    }
    calls = {
        name: [f"--model_dir={directories[model]}", *arguments]
        for name, (model, arguments) in _CALLS.items()
    }
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM, json.dumps(calls)],
        cwd=_REPOSITORY,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.exhaustive
def test_questions_are_answered(found):
    answers = json.loads(found["question"][0])
    place = slice(answers["start"][0], answers["end"][0])
    data = _CONTEXT.encode()[place]
    assert answers["answer"] == [data.decode()] and data


def test_choices_are_answered(found):
    answers = json.loads(found["choices"][0])
    assert len(answers["probabilities"][0]) == 2


@pytest.mark.parametrize(
    "call, error",
    [
        ("text for question", "takes context, question. Received: text."),
        ("nothing", "takes text. Received: none."),
    ],
)
def test_other_inputs_are_named(found, call, error):
    assert found[call] == ["", f"Error: The model {error}"]


def test_the_newest_version_is_asked(found):
    assert len(json.loads(found["newest"][0])["score"]) == 1
    _, error = found["no version"]
    assert "must be a SavedModel, or a directory with numbered" in error


def test_inputs_of_other_lengths_are_named(found):
    _, error = found["two lengths"]
    assert "Received: {'text': 2, 'choices': 1}." in error
