"""`keras-bert` starts the programs without a clone, and shows manuals."""

import importlib
import re
import sys

import pytest

import keras_bert
from keras_bert import command_line
from keras_bert.cli import console
from tests.processes import ROOT
from tests.processes import run_python

_WRONG = "The first argument must be a program. Received:"
_TOOLS = sorted(path.stem for path in (ROOT / "tools").glob("*.py"))
_HEAVY = (
    "apache_beam gradio jax keras matplotlib tensorflow tensorflow_datasets "
    "tensorflow_text torch transformers"
).split()
# Imports programs and prints the imported modules.
_IMPORTS = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(f"keras_bert.cli.{name}")
print(*sys.modules)
"""


@pytest.fixture
def call(monkeypatch, capsys):
    """Return a function that runs a command; returns exit code and output."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["keras-bert", *words])
        code = 0
        try:
            console.main()
        except SystemExit as error:
            code = error.code or 0
        stdout, stderr = capsys.readouterr()
        if isinstance(code, str):
            return 1, stdout, f"{code}\n"
        return code, stdout, stderr

    return call


def test_its_help_lists_every_program_by_its_job(call):
    code, stdout, stderr = call("--help")
    assert (code, stderr) == (0, "")
    assert stdout.startswith("Usage: keras-bert PROGRAM ")
    assert call() == call("help") == (code, stdout, stderr)
    title, *listed = stdout[stdout.index("Try a model:") :].splitlines()
    words = [line.split() for line in listed if line.startswith("  ")]
    assert sorted(first for first, *_ in words) == _TOOLS
    assert all(len(line) > 3 for line in words)


def _described(manual, flag):
    """Return the description of a flag."""
    start = re.search(rf"^  --(\[no\])?{flag}($| )", manual, re.M)
    assert start, f"--{flag} is not shown"
    return re.split(r"\n  --|\n\n", manual[start.start() + 1 :])[0]


@pytest.mark.parametrize("tool", _TOOLS)
def test_a_manual_describes_every_flag(call, tool):
    code, manual, stderr = call("help", tool)
    assert (code, stderr) == (0, "")
    module = importlib.import_module(f"keras_bert.cli.{tool}")
    usage, _, about = manual.partition("\n\n")
    assert usage.lower().startswith(f"usage: keras-bert {tool} ")
    assert about.startswith(module.__doc__[:60])
    assert f"    keras-bert {tool} " in about
    required = re.findall(r"--(\w+)=", usage)
    # This program also runs without the library.
    has_own = tool == "query_saved_model"
    for flag in () if has_own else module.PROGRAM.values():
        is_marked = "required)" in _described(manual, flag)
        assert is_marked == (flag in required)
    for flag in re.findall(r"\s--(\w+)=", module.__doc__):
        _described(manual, flag)


def test_programs_import_nothing_slow():
    result = run_python("-c", _IMPORTS, *_TOOLS)
    assert result.stderr == ""
    assert {*_HEAVY} & {*result.stdout.split()} == set()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["help", "run_squat"], f"{_WRONG} run_squat. Did you mean run_squad"),
        (["versoin"], f"{_WRONG} versoin. Did you mean version?"),
        (["configs", "x"], f"{_WRONG} conf"),
        (["run-squad"], "These flags are required: --init_dir, --output_dir."),
        (
            ["inspect_records", "x", "--input_file=x", "--vocab_file=y"],
            "Unexpected arguments: x.",
        ),
    ],
)
def test_a_wrong_word_is_one_line(call, words, line):
    code, stdout, stderr = call(*words)
    assert (code, stdout) == (1, "")
    assert stderr.startswith(f"Error: {line}")
    assert stderr.count("\n") == 1


def test_release_and_configs_are_printed(call, monkeypatch):
    for word in ("--version", "version"):
        assert call(word) == (0, f"{keras_bert.__version__}\n", "")
    code, stdout, _ = call("configs")
    assert (code, stdout.strip()) == (0, str(keras_bert.CONFIGS))
    monkeypatch.setattr(sys, "argv", ["my tools/predict.py", "--input=a b"])
    assert command_line.typed_command() == "keras-bert predict '--input=a b'"
