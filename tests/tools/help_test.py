"""The help of every program is fast and complete."""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

_REPOSITORY = pathlib.Path(__file__).parents[2]
_TOOLS = sorted((_REPOSITORY / "tools").glob("*.py"))
_ALONE = "query_saved_model"  # It also runs without the library.
_HEAVY = (
    "apache_beam gradio jax keras matplotlib tensorflow tensorflow_datasets "
    "tensorflow_text tokenizers torch transformers"
).split()
# Runs a program and prints its imported modules.
_RUNNER = """
import json, pathlib, runpy, sys
report, sys.argv = sys.argv[1], sys.argv[2:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    pathlib.Path(report).write_text(json.dumps([*sys.modules]))
"""


def _manual_of(text, flag):
    """Return the part of the help about a flag."""
    start = re.search(
        rf"^  --(\[no\])?{flag}$|^  --(\[no\])?{flag} ", text, re.M
    )
    assert start, f"--{flag} is not shown"
    return re.split(r"\n  --|\n\n", text[start.start() + 1 :])[0]


@pytest.mark.parametrize("tool", _TOOLS, ids=lambda path: path.stem)
def test_help_is_the_manual_at_once(tool, tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", _RUNNER, tmp_path / "modules", tool, "--help"],
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert result.stderr == ""
    assert result.returncode == 0
    module = importlib.import_module(f"keras_bert.cli.{tool.stem}")
    usage, _, about = result.stdout.partition("\n\n")
    assert usage.lower().startswith(f"usage: keras-bert {tool.stem} ")
    assert about.startswith(module.__doc__[:60])
    assert f"    keras-bert {tool.stem} " in about
    required = re.findall(r"--(\w+)=", usage)
    for flag in module.PROGRAM.values() if tool.stem != _ALONE else ():
        is_marked = "required)" in _manual_of(result.stdout, flag)
        assert is_marked == (flag in required)
    for flag in re.findall(r"\s--(\w+)=", module.__doc__):
        _manual_of(result.stdout, flag)
    imported = json.loads((tmp_path / "modules").read_text())
    assert sorted({*_HEAVY} & {*imported}) == []
