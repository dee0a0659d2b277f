"""Programs in a new environment with additional packages."""

import json
import subprocess
import sys

from tests.processes import ROOT


def found_by(program, directory, packages):
    """Run a program with the extra `serve` and return the file that it writes.

    Args:
        program: path of the program from the root of the repository. It takes
            the directory and writes `found.json` there.
        directory: directory of the environment and of the models.
        packages: requirements.
    """
    python = directory / "venv/bin/python"
    package = ["--editable", f"{ROOT}[serve]"]
    for command in (
        [sys.executable, "-m", "venv", directory / "venv"],
        [python, "-m", "pip", "install", "--quiet", *package, *packages],
        [python, program, directory],
    ):
        result = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stdout + result.stderr
    return json.loads((directory / "found.json").read_text())
