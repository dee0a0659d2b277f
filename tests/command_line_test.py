import os
import pathlib
import subprocess
import sys

import pytest
import tensorflow as tf

from keras_bert import command_line

needs_full_disk = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="/dev/full stands for a full disk"
)


def run(main, capsys):
    """Exit code and last line of a program."""
    with pytest.raises(SystemExit) as stop:
        command_line._run_guarded(main, ["program"])
    return stop.value.code, capsys.readouterr().err.splitlines()[-1]


@needs_full_disk
def test_a_full_disk_is_one_line(capsys):
    def main():
        with open("/dev/full", "w") as file:
            file.write("text")

    code, line = run(main, capsys)
    assert code == 1
    assert line == "Error: [Errno 28] No space left on device"


@needs_full_disk
def test_a_full_disk_under_tensorflow_is_one_line_too(capsys):
    def main():
        with tf.io.TFRecordWriter("/dev/full") as writer:
            writer.write(b"record")

    code, line = run(main, capsys)
    assert code == 1
    assert line.startswith("Error: /dev/full; No space left on device")


def test_an_error_of_ours_is_shown_whole():
    def main():
        raise RuntimeError("a mistake of the program")

    with pytest.raises(RuntimeError, match="a mistake of the program"):
        command_line._run_guarded(main, ["program"])


def test_control_c_is_no_error(capsys):
    def main():
        raise KeyboardInterrupt

    assert run(main, capsys) == (130, "Stopped.")


def test_a_manual_may_be_read_in_part():
    reading, writing = os.pipe()
    os.close(reading)
    program = "tools/convert_checkpoint.py"
    root = pathlib.Path(__file__).parents[1]
    result = subprocess.run(
        [sys.executable, root / program, "--help"],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert (result.returncode, result.stderr) == (0, "")
