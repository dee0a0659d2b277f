"""The demo: running, removed and protected files."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

_REPOSITORY = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.large

# The demo with cheap stages.
_RUNNER = """
import sys
from keras_bert.cli import demo
demo._LINE_SECONDS = 1
demo._CONSOLE = [sys.executable, "-c"]
def stages(output, input_file):
    return [
        ("One", ["stage", f"open('{{output}}/vocab.txt', 'w')"]),
        ("Two", ["stage", {second!r}, str(output)]),
    ]
demo.demo_stages = stages
demo.PROGRAM.run(demo.main)
"""
_SECOND = """
import os, sys
os.mkdir(sys.argv[1] + "/bert")
open(sys.argv[1] + "/bert/weights", "w").write(str(os.getpid()))
print("It learned.")
"""
_SLOW = (
    _SECOND
    + """
import time
try:
    time.sleep(60)
except KeyboardInterrupt:
    open(sys.argv[1] + "/bert/state", "w").write("saved")
    raise
"""
)


def _start(folder, *arguments, second=_SECOND):
    program = _RUNNER.format(second=second)
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(folder, *arguments):
    """Run the demo; return exit code, stdout and stderr."""
    process = _start(folder, "--output_dir=out", *arguments)
    printed = process.communicate()
    assert "Traceback" not in printed[1]
    return process.returncode, *printed


def _contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _wait_for(path):
    for _ in range(600):
        if path.exists() and path.read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} has not come")


def test_a_demo_is_made_anew_only_when_asked(tmp_path):
    code, stdout, stderr = _run(tmp_path)
    assert code == 0, stderr
    assert "[2/2] Two" in stdout and stdout.endswith("It learned.\n")
    before = _contents(tmp_path)
    assert {
        "out/vocab.txt",
        "out/bert/weights",
        "out/logs/1.txt",
        "out/logs/2.txt",
        "out/manifest.json",
    } == {*before}
    code, _, stderr = _run(tmp_path)
    assert code == 1
    assert "to replace it" in stderr
    assert _contents(tmp_path) == before
    assert _run(tmp_path, "--overwrite")[0] == 0
    assert {*_contents(tmp_path)} == {*before}
    (tmp_path / "out" / "bert" / "notes.txt").write_text("mine")
    before = _contents(tmp_path)
    code, _, stderr = _run(tmp_path, "--overwrite")
    assert code == 1
    assert "out/bert/notes.txt exists, and no manifest" in stderr
    assert _contents(tmp_path) == before


def test_what_another_program_made_is_no_demo(tmp_path):
    from keras_bert import artifacts

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "weights").write_text("trained")
    artifacts.write_manifest(
        tmp_path / "out" / "manifest.json",
        {"weights": tmp_path / "out" / "weights"},
        {},
    )
    before = _contents(tmp_path)
    code, _, stderr = _run(tmp_path, "--overwrite")
    assert code == 1
    assert "an output of the same kind. Received: 'out'" in stderr
    assert _contents(tmp_path) == before


def test_a_demo_under_way_or_killed_stays(tmp_path):
    process = _start(tmp_path, "--output_dir=out", second=_SLOW)
    _wait_for(tmp_path / "out" / "bert" / "weights")
    code, _, stderr = _run(tmp_path, "--overwrite")
    assert code == 1
    assert "exists, and no manifest next to it lists" in stderr
    process.kill()
    process.communicate()
    before = _contents(tmp_path)
    os.kill(int(before["out/bert/weights"]), signal.SIGKILL)
    assert _run(tmp_path, "--overwrite")[0] == 1
    assert _contents(tmp_path) == before


@pytest.mark.exhaustive
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_control_c_ends_the_stage(tmp_path, end):
    process = _start(tmp_path, "--output_dir=out", second=_SLOW)
    _wait_for(tmp_path / "out" / "bert" / "weights")
    time.sleep(0.5)  # The stage is sleeping.
    process.send_signal(end)
    stderr = process.communicate(timeout=20)[1]
    assert process.returncode == 130
    assert stderr == "Stopped.\n"
    assert (tmp_path / "out" / "bert" / "state").read_text() == "saved"
    assert _run(tmp_path, "--overwrite")[0] == 0


def test_a_failed_stage_is_shown(tmp_path):
    process = _start(
        tmp_path, "--output_dir=out", second="print(1); raise OSError('full')"
    )
    stderr = process.communicate()[1]
    assert process.returncode == 1
    assert "OSError: full" in stderr
    assert stderr.endswith("Its output is in out/logs/2.txt.\n")


def test_progress_is_printed_without_a_terminal(tmp_path):
    second = "import time; print('step 25', flush=True); time.sleep(1.5)"
    process = _start(tmp_path, "--output_dir=out", second=second)
    assert "\n        1 s  step 25\n" in process.communicate()[0]
