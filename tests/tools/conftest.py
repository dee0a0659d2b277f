"""A fast way to run many programs in tests."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

_REPOSITORY = pathlib.Path(__file__).parents[2]

# Imports slow modules once and runs one program after another, each with its
# own folder, flags, output and Keras state.
_SERVER = """
import json, os, runpy, sys, traceback
import keras, tensorflow, tensorflow_text
from absl import flags


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
    os.chdir(request["folder"])
    code = run(request["argv"])
    sys.stdout.flush()
    sys.stderr.flush()
    for number, copy in zip((1, 2), screen):
        os.dup2(copy, number)
        os.close(copy)
    flags.FLAGS.unparse_flags()
    keras.utils.clear_session()
    keras.config.set_dtype_policy("float32")
    print(code, flush=True)
"""


_ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(_REPOSITORY),
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


@pytest.fixture(scope="session")
def server():
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVER],
        env=_ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture(scope="session")
def run(server, tmp_path_factory):
    """Return a function that runs a program; returns exit code and output."""
    printed = tmp_path_factory.mktemp("printed")

    def run(tool, *arguments, folder=_REPOSITORY):
        request = {
            "argv": [str(_path_of(tool)), *map(str, arguments)],
            "folder": str(folder),
            "stdout": str(printed / "stdout"),
            "stderr": str(printed / "stderr"),
        }
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        code = int(answer) if answer else server.wait()
        texts = []
        for name in ("stdout", "stderr"):
            path = printed / name
            texts.append(path.read_text(encoding="utf-8"))
            path.unlink()
        return code, *texts

    return run


@pytest.fixture(scope="session")
def run_alone():
    """Return a function like `run` that starts a new process."""

    def run_alone(tool, *arguments, folder=_REPOSITORY, **environment):
        result = subprocess.run(
            [sys.executable, _path_of(tool), *arguments],
            cwd=folder,
            env={**_ENVIRONMENT, **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        return result.returncode, result.stdout, result.stderr

    return run_alone


def _path_of(tool):
    return _REPOSITORY / "tools" / f"{tool}.py"
