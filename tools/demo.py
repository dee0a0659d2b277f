"""Run all steps from plain text to a served BERT.

    keras-bert demo --output_dir=demo-output
    keras-bert demo --output_dir=demo-output --input_file='text/*.txt'

Each stage is a program of its own, shown as it would be typed; all that it
prints is kept in OUTPUT_DIR/logs. With --overwrite the directory of an earlier
demo is made anew, whose manifest.json lists what it wrote. With anything else
in it the directory is refused.
"""

import pathlib
import shlex
import shutil
import signal
import sys
import time

from absl import flags

from keras_bert import artifacts
from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.demo.stages import check_installed
from keras_bert.cli.demo.stages import demo_stages
from keras_bert.cli.demo.stages import printed_lines
from keras_bert.cli.demo.stages import running
from keras_bert.files import expand_patterns

_OUTPUT_DIR = shared_flags.required("output_dir", "Where everything goes.")
_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    [],
    "Own text files: paths and globs. By default the documentation of the "
    "installed Python packages.",
)
_OVERWRITE = shared_flags.overwrite()

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_MADE = {"program": "demo"}  # In the manifest.
_POLL_SECONDS = 0.2
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
    for end in (signal.SIGTERM, signal.SIGHUP):  # A stage is ended, too.
        signal.signal(end, signal.default_int_handler)
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
    """Runs a stage, its last line of output showing; the seconds it took."""
    print(f"    python {shlex.join(command)}", flush=True)
    start = time.monotonic()
    with running(command, log) as process:
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            if sys.stdout.isatty():
                seconds = time.monotonic() - start
                _show(f"{seconds:5.0f} s  {printed_lines(log)[-1]}")
    if process.returncode:
        lines = printed_lines(log)[-_LINES_OF_A_FAILURE:]
        print("\n".join(lines), file=sys.stderr)
        raise ValueError(f"The stage failed; all that it printed is in {log}.")
    return time.monotonic() - start


def _show(line, end=""):
    width = shutil.get_terminal_size().columns - 5
    clear = "\r\x1b[K" if sys.stdout.isatty() else ""
    text = line[:width] if not end else line
    print(f"{clear}    {text}", end=end, flush=True)


if __name__ == "__main__":
    command_line.run(main)
