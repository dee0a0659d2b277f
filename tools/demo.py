"""Pre-train and export a small BERT, from plain text.

    keras-bert demo --output_dir=demo-output
    keras-bert demo --output_dir=demo-output --input_file='text/*.txt'

Each stage runs one program. Its command line is printed and its output is
written to OUTPUT_DIR/logs. A line of progress is printed every 15 seconds. If
--overwrite is given, the files of an earlier demo, listed in its manifest.json,
are deleted first. It is an error if the directory contains any other file.
"""

import pathlib
import shlex
import shutil
import signal
import sys
import time

from keras_bert import artifacts
from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.demo.stages import check_installed
from keras_bert.cli.demo.stages import demo_stages
from keras_bert.cli.demo.stages import printed_lines
from keras_bert.cli.demo.stages import running
from keras_bert.files import expand_patterns

PROGRAM = command_line.Program(__doc__)

_OUTPUT_DIR = PROGRAM.required("output_dir", "Output directory.")
_INPUT_FILE = PROGRAM.list(
    "input_file",
    [],
    "Your text files: paths and globs, comma-separated. By default the "
    "documentation of the installed Python packages.",
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_MADE = {"program": "demo"}  # In the manifest.
_POLL_SECONDS = 0.2
_LINE_SECONDS = 15  # If the output is not a terminal.
_LINES_OF_A_FAILURE = 15


def main():
    check_installed()
    output = pathlib.Path(_OUTPUT_DIR.value)
    inputs = expand_patterns(_INPUT_FILE.value) if _INPUT_FILE.value else []
    artifacts.check_directory(
        output,
        inputs,
        _OVERWRITE.value,
        lambda manifest: _MADE.items() <= manifest.items(),
    )
    artifacts.remove_own(output)
    (output / "logs").mkdir(parents=True)
    for number in (signal.SIGTERM, signal.SIGHUP):  # Stop the stage as well.
        signal.signal(number, signal.default_int_handler)
    stages = demo_stages(_ROOT, output, ",".join(_INPUT_FILE.value))
    try:
        for number, (title, command) in enumerate(stages, start=1):
            print(f"[{number}/{len(stages)}] {title}", flush=True)
            log = output / "logs" / f"{number}.txt"
            seconds = _run(command, log)
            is_report = number == len(stages)
            last = "" if is_report else printed_lines(log)[-1]
            _show(f"{seconds:5.1f} s  {last or 'done'}", end="\n")
    finally:
        artifacts.record_directory(output, _MADE)
    print("\n".join(printed_lines(log)))


def _run(command, log):
    """Run a stage with a line of progress; return its duration in seconds."""
    print(f"    python {shlex.join(command)}", flush=True)
    start = shown = time.monotonic()
    end, pause = ("", 0) if sys.stdout.isatty() else ("\n", _LINE_SECONDS)
    with running(command, log) as process:
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            now = time.monotonic()
            if now - shown >= pause:
                _show(f"{now - start:5.0f} s  {printed_lines(log)[-1]}", end)
                shown = now
    if process.returncode:
        lines = printed_lines(log)[-_LINES_OF_A_FAILURE:]
        print("\n".join(lines), file=sys.stderr)
        raise ValueError(f"The stage failed. Its output is in {log}.")
    return time.monotonic() - start


def _show(line, end=""):
    width = shutil.get_terminal_size().columns - 5
    clear = "\r\x1b[K" if sys.stdout.isatty() else ""
    text = line[:width] if not end else line
    print(f"{clear}    {text}", end=end, flush=True)


if __name__ == "__main__":
    PROGRAM.run(main)
