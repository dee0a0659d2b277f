"""Python programs in separate processes."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]


def run_python(*command, returncode=0, cwd=ROOT, **environment):
    """Run Python with this repository and return the completed process.

    Args:
        *command: arguments of Python, such as "-c" and a program.
        returncode: int, the expected exit code.
        cwd: path of the directory to run in.
        **environment: changes of the environment.
    """
    result = subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    assert result.returncode == returncode, result.stderr
    return result
