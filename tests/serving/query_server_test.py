"""tools/query_server.py, against a server over a socket."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from keras_bert.cli import query_server

_ROOT = pathlib.Path(__file__).parents[2]
_TEXT = "--model_name=scores --text=a"
_BYTES = b"\xff\xfe\xff"
# None of these may be imported.
_PROGRAM = """
import runpy, sys
sys.modules.update(dict.fromkeys(("tensorflow", "keras", "numpy")))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def ask(address, monkeypatch, capsys):
    """Return a function that runs the program; returns code and output."""

    def ask(*arguments):
        host, port = address.split(":")
        server = (f"--host={host}", f"--port={port}")
        monkeypatch.setattr(sys, "argv", ["a", *server, *arguments])
        with pytest.raises(SystemExit) as stop:
            query_server.PROGRAM.run(query_server.main)
        stdout, stderr = capsys.readouterr()
        answers = [json.loads(line) for line in stdout.splitlines()]
        if isinstance(stop.value.code, str):
            return 1, answers, f"{stop.value.code}\n"
        return stop.value.code or 0, answers, stderr

    return ask


def test_bytes_and_choices_are_asked(ask, server):
    context = _BYTES.decode("utf-8", "surrogateescape")
    code, (answer,), error = ask(
        "--model_name=answers",
        "--question=what",
        f"--context={context}",
        "--version_label=canary",
    )
    assert (code, error) == (0, "")
    assert {*answer} == {"answer", "start", "end", "score"}
    ask("--model_name=a b", "--text=the", "--choice=dog", "--choice=cat")
    (path, _), (other, body) = server.requests
    assert path == "/v1/models/answers/labels/canary:predict"
    assert other == "/v1/models/a%20b:predict"
    inputs = {"text": ["the"], "choices": [["dog", "cat"]]}
    assert json.loads(body)["inputs"] == inputs


def test_files_are_answered_in_batches(ask, server, tmp_path):
    texts = [f"{'a dog ' * number}." for number in range(7)]
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text}\n" for text in texts))
    flags = ("--model_name=scores", f"--input_file={path}", "--batch_size=3")
    code, answers, error = ask(*flags)
    assert code == 0, error
    assert len(server.requests) == 3
    expected = ask("--model_name=scores", *(f"--text={x}" for x in texts))[1]
    for answer, one in zip(answers, expected, strict=True):
        assert answer == pytest.approx(one, abs=1e-5)
    assert len({answer["score"] for answer in answers}) > 1


def test_standard_input_is_json_lines_and_nothing_slow_is_imported(address):
    lines = "".join(json.dumps({"text": x}) + "\n" for x in ("a", "ö"))
    host, port = address.split(":")
    flags = "--model_name=scores --input_file=-".split()
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "tools/query_server.py"]
        + [*flags, f"--host={host}", f"--port={port}"],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        input=lines.encode(),
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert len(result.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "name, data, error",
    [
        ("a.csv", 'n,text\n1,"a, ""dog"""\n', None),
        ("a.csv", "text,text_pair\na\n", "line 2, must have 2 field(s)"),
        ("a.jsonl", '{"text": "a"}\n{"text": \n', "line 2, must be a JSON"),
        ("a.xlsx", "text", "must be a .csv, .tsv, .txt"),
    ],
)
def test_tables_are_asked(ask, server, tmp_path, name, data, error):
    (tmp_path / name).write_text(data)
    result = ask("--model_name=scores", f"--input_file={tmp_path / name}")
    if error:
        assert result[0] == 1 and error in result[2]
        return
    ((_, body),) = server.requests
    assert json.loads(body)["inputs"]["text"] == ['a, "dog"']


def test_what_was_answered_stands_before_an_error(ask, tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "a"}\n{"text": 3}\n')
    flags = ("--model_name=scores", f"--input_file={path}", "--batch_size=1")
    code, answers, error = ask(*flags)
    assert (code, len(answers)) == (1, 1)
    assert "JSON Value: 3 is not of expected type" in error
    assert error.startswith("Error: ") and error.count("\n") == 1


@pytest.mark.parametrize(
    "line, message",
    [
        ("--text=a", "required: --model_name"),
        ("--model_name=scores", "must be given: --input_file, or some"),
        (f"{_TEXT} --signature=no", "no.* not found in signature def"),
        (f"{_TEXT} --input_file=b.txt", "--input_file or --text"),
        ("--model_name=a --input_file=no.txt", r"'no.txt' \(--input_file\)"),
        (f"{_TEXT} --version=1 --version_label=b", "--version or --version_l"),
        (f"{_TEXT} --text=b --choice=a", "'text': 2, 'choices': 1"),
    ],
)
def test_mistakes_are_told_in_a_line(ask, line, message):
    code, answers, error = ask(*line.split())
    assert (code, answers) == (1, [])
    assert error.startswith("Error: ") and error.count("\n") == 1
    assert re.search(message, error), error
