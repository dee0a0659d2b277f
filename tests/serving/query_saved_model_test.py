"""tools/query_saved_model.py, which asks without a server."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

_REPOSITORY = pathlib.Path(__file__).parents[2]


@pytest.fixture
def ask(saved_models):
    def ask(name, *arguments):
        return subprocess.run(
            [
                sys.executable,
                "-c",
                "import runpy, sys; sys.modules['keras_bert'] = None; "
                "sys.argv = sys.argv[1:]; "
                "runpy.run_path(sys.argv[0], run_name='__main__')",
                "tools/query_saved_model.py",
                f"--model_dir={saved_models[name]}",
                *arguments,
            ],
            cwd=_REPOSITORY,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
            capture_output=True,
            text=True,
        )

    return ask


@pytest.mark.large
def test_questions_are_answered(ask):
    context = "dög dög dög"
    result = ask("answers", "--question=who", f"--context={context}")
    answers = json.loads(result.stdout or result.stderr)
    place = slice(answers["start"][0], answers["end"][0])
    data = context.encode()[place]
    assert answers["answer"] == [data.decode()] and data


@pytest.mark.large
def test_choices_are_answered(ask):
    result = ask("choices", "--text=the", "--choice=dog", "--choice=cat")
    answers = json.loads(result.stdout or result.stderr)
    assert len(answers["probabilities"][0]) == 2


@pytest.mark.large
@pytest.mark.parametrize(
    "name, arguments, message",
    [
        ("answers", ["--text=a"], "takes context, question. Received: text."),
        ("scores", [], "takes text. Received: none."),
    ],
)
def test_other_inputs_are_named(ask, name, arguments, message):
    result = ask(name, *arguments)
    assert result.returncode == 1
    assert result.stderr == f"Error: The model {message}\n"


def test_inputs_of_other_lengths_are_named(ask):
    result = ask("scores", "--text=a", "--text=b", "--choice=c")
    assert result.returncode == 1
    assert "Received: {'text': 2, 'choices': 1}." in result.stderr
