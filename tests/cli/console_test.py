"""`keras-bert` starts the programs without a clone."""

import os
import pathlib
import subprocess
import sys

import pytest

import keras_bert
from keras_bert import command_line

_ROOT = pathlib.Path(__file__).parents[2]
_WRONG = "The first argument must be a program. Received:"
_TOOLS = sorted(path.stem for path in (_ROOT / "tools").glob("*.py"))


def run(*words):
    """Run the entry point; return exit code, stdout and stderr."""
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "from keras_bert.cli.console import main; main()",
            *words,
        ],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
    )
    return result.returncode, result.stdout, result.stderr


def test_its_help_lists_every_program_by_its_job():
    code, stdout, stderr = run("--help")
    assert (code, stderr) == (0, "")
    assert stdout.startswith("Usage: keras-bert PROGRAM ")
    assert run() == run("help") == (code, stdout, stderr)
    title, *listed = stdout[stdout.index("Try a model:") :].splitlines()
    words = [line.split() for line in listed if line.startswith("  ")]
    assert sorted(first for first, *_ in words) == _TOOLS
    assert all(len(line) > 3 for line in words)


def test_a_program_shows_its_manual_with_what_is_to_be_typed():
    code, stdout, stderr = run("run-pretraining", "--help")
    assert (code, stderr) == (0, "")
    assert run("help", "run_pretraining") == (code, stdout, stderr)
    assert stdout.startswith("Usage: keras-bert run_pretraining --input_file=")
    assert 'file="$(keras-bert configs)/bert_tiny.json"' in stdout
    assert "  --num_train_steps" in stdout
    assert "tools/" not in stdout


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["help", "run_squat"], f"{_WRONG} run_squat. Did you mean run_squad"),
        (["versoin"], f"{_WRONG} versoin. Did you mean version?"),
        (["configs", "x"], f"{_WRONG} conf"),
        (["../setup"], f"{_WRONG} ../setup"),
        (["run_squad"], "These flags are required: --init_dir, --output_dir."),
        (
            ["inspect_records", "x", "--input_file=x", "--vocab_file=y"],
            "Unexpected arguments: x.",
        ),
    ],
)
def test_a_wrong_word_is_one_line(words, line):
    code, stdout, stderr = run(*words)
    assert (code, stdout) == (1, "")
    assert stderr.startswith(f"Error: {line}")
    assert stderr.count("\n") == 1


def test_a_command_is_kept_as_it_is_typed(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["my tools/predict.py", "--input=a b"])
    assert command_line.typed_command() == "keras-bert predict '--input=a b'"


def test_it_says_which_release_it_is():
    for word in ("--version", "version"):
        assert run(word) == (0, f"{keras_bert.__version__}\n", "")


def test_the_configs_are_found_from_everywhere():
    code, stdout, _ = run("configs")
    assert (code, stdout.strip()) == (0, str(keras_bert.CONFIGS))
    config = keras_bert.BertConfig.from_json(
        keras_bert.CONFIGS / "bert_base.json"
    )
    assert config.hidden_size == 768
