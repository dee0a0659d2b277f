"""What tests of the programs share: a way to run many of them fast."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

_REPOSITORY = pathlib.Path(__file__).parents[2]

# Imports what takes long once, and forks a process for every program. The
# child ends at once: a whole TensorFlow takes seconds to tidy up.
_LAUNCHER = """
import json, os, runpy, sys, traceback
import keras, tensorflow, tensorflow_text

for line in sys.stdin:
    request = json.loads(line)
    child = os.fork()
    if not child:
        for number, name in ((0, os.devnull), (1, "stdout"), (2, "stderr")):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
            os.dup2(os.open(request.get(name, name), flags), number)
        sys.stdin = open(0)
        sys.argv = request["argv"]
        code = 0
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as error:
            code = error.code or 0
            if isinstance(code, str):
                print(code, file=sys.stderr)
                code = 1
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    status = os.waitpid(child, 0)[1]
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


@pytest.fixture(scope="module")
def launcher():
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _LAUNCHER],
        cwd=_REPOSITORY,
        env={
            **os.environ,
            "PYTHONPATH": str(_REPOSITORY),
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture(scope="module")
def run(launcher, tmp_path_factory):
    """Runs a program; its exit code and what it printed."""
    folder = tmp_path_factory.mktemp("printed")

    def run(tool, *arguments):
        request = {
            "argv": [f"tools/{tool}.py", *arguments],
            "stdout": str(folder / "stdout"),
            "stderr": str(folder / "stderr"),
        }
        launcher.stdin.write(json.dumps(request) + "\n")
        launcher.stdin.flush()
        code = int(launcher.stdout.readline())
        printed = []
        for name in ("stdout", "stderr"):
            path = folder / name
            printed.append(path.read_text(encoding="utf-8"))
            path.unlink()
        return code, *printed

    return run
