"""The tables of the library equal the tables that the program builds."""

import os
import pathlib
import subprocess
import sys

import pytest

_ROOT = pathlib.Path(__file__).parents[3]
_PROGRAM = _ROOT / "tools/tables/build_normalizers.py"
_TABLES = _ROOT / "keras_bert/text/normalization/tables"


@pytest.mark.exhaustive
def test_the_tables_are_the_output_of_the_program(tmp_path):
    import tokenizers

    subprocess.run(
        [sys.executable, _PROGRAM, f"--output_dir={tmp_path}"],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        check=True,
    )
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    there = {path.name: path.read_bytes() for path in _TABLES.glob("*.bin")}
    assert {*built} == {*there}
    if tokenizers.__version__ != "0.23.3":
        built = {
            name: x for name, x in built.items() if "tokenizers" not in name
        }
    assert [name for name, x in built.items() if x != there[name]] == []
