"""What tests of the programs share: a way to run many of them fast."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

_REPOSITORY = pathlib.Path(__file__).parents[2]

# Imports what takes long once and runs one program after another, each with
# flags, output and a Keras of its own.
_SERVER = """
import json, os, runpy, sys, traceback
import keras, tensorflow, tensorflow_text
from absl import flags

common = {*flags.FLAGS}


def run(argv):
    sys.argv = argv
    try:
        runpy.run_path(argv[0], run_name="__main__")
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
            return 1
        return error.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


for line in sys.stdin:
    request = json.loads(line)
    screen = [os.dup(1), os.dup(2)]
    for number, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    code = run(request["argv"])
    sys.stdout.flush()
    sys.stderr.flush()
    for number, copy in zip((1, 2), screen):
        os.dup2(copy, number)
        os.close(copy)
    for name in {*flags.FLAGS} - common:
        delattr(flags.FLAGS, name)
    flags.FLAGS.unparse_flags()
    keras.utils.clear_session()
    keras.config.set_dtype_policy("float32")
    print(code, flush=True)
"""


@pytest.fixture(scope="module")
def server():
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVER],
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
def run(server, tmp_path_factory):
    """Runs a program; its exit code and what it printed."""
    folder = tmp_path_factory.mktemp("printed")

    def run(tool, *arguments):
        request = {
            "argv": [f"tools/{tool}.py", *arguments],
            "stdout": str(folder / "stdout"),
            "stderr": str(folder / "stderr"),
        }
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        code = int(answer) if answer else server.wait()
        printed = []
        for name in ("stdout", "stderr"):
            path = folder / name
            printed.append(path.read_text(encoding="utf-8"))
            path.unlink()
        return code, *printed

    return run
