"""Pre-train and export a small BERT, from plain text.

    keras-bert demo --output_dir=demo-output
    keras-bert demo --output_dir=demo-output --input_file='text/*.txt'

Each stage runs one program. Its command line is printed and its output is
written to OUTPUT_DIR/logs. A line of progress is printed every 15 seconds. If
--overwrite is given, the files of an earlier demo, listed in its manifest.json,
are deleted first. It is an error if the directory contains any other file.
"""

import contextlib
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.files.manifest import record_directory
from keras_bert.files.outputs import check_directory
from keras_bert.files.outputs import remove_own
from keras_bert.files.patterns import expand_patterns
from keras_bert.locations import CONFIGS

PROGRAM = command_line.Program(__doc__)

_OUTPUT_DIR = PROGRAM.required("output_dir", "Output directory.")
_INPUT_FILE = PROGRAM.list(
    "input_file",
    [],
    "Your text files: paths and globs, comma-separated. By default the "
    "documentation of the installed Python packages.",
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)

_MADE = {"program": "demo"}  # In the manifest.
_POLL_SECONDS = 0.2
_LINE_SECONDS = 15  # If the output is not a terminal.
_LINES_OF_A_FAILURE = 15
_PACKAGES = ("tokenizers", "matplotlib", "ai_edge_litert")
_CONSOLE = [sys.executable, "-m", "keras_bert.cli.console"]
_SECONDS_TO_STOP = 10
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*m|\x08")
_NOISE = re.compile(
    r"[IWE]0000 |WARNING: All log messages|INFO: Created Tensor|To enable the"
    r"|Result: |Next: "
)
_LOG_PREFIX = re.compile(r"^[IWE]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] ")


def main():
    check_installed()
    output = pathlib.Path(_OUTPUT_DIR.value)
    inputs = expand_patterns(_INPUT_FILE.value) if _INPUT_FILE.value else []
    check_directory(
        output,
        inputs,
        _OVERWRITE.value,
        lambda manifest: _MADE.items() <= manifest.items(),
    )
    remove_own(output)
    (output / "logs").mkdir(parents=True)
    for number in (signal.SIGTERM, signal.SIGHUP):  # Stop the stage as well.
        signal.signal(number, signal.default_int_handler)
    stages = demo_stages(output, ",".join(_INPUT_FILE.value))
    try:
        for number, (title, command) in enumerate(stages, start=1):
            print(f"[{number}/{len(stages)}] {title}", flush=True)
            log = output / "logs" / f"{number}.txt"
            seconds = _run(command, log)
            is_report = number == len(stages)
            last = "" if is_report else printed_lines(log)[-1]
            _show(f"{seconds:5.1f} s  {last or 'done'}", end="\n")
    finally:
        record_directory(output, _MADE)
    print("\n".join(printed_lines(log)))


def _run(command, log):
    """Run a stage with a line of progress; return its duration in seconds."""
    print(f"    {shlex.join(command)}", flush=True)
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


def demo_stages(output, input_file):
    """Return the stages of the demo as (title, command line) pairs.

    Args:
        output: `pathlib.Path`, the output directory of the demo.
        input_file: str, value of `--input_file`, or "".
    """

    def program(name, *arguments):
        return ["keras-bert", name, *arguments]

    def records(part, *options):
        return program(
            "create_pretraining_data",
            f"--flagfile={CONFIGS / 'demo_data.flags'}",
            f"--input_file={output}/corpus/{part}.txt",
            f"--vocab_file={output}/vocab.txt",
            f"--output_file={output}/{part}.tfrecord",
            *options,
        )

    corpus = program("collect_corpus", f"--output_dir={output}/corpus")
    if input_file:
        corpus.append(f"--input_file={input_file}")
    vocabulary = program(
        "learn_vocabulary",
        f"--input_file={output}/corpus/train.txt",
        f"--output_file={output}/vocab.txt",
        "--vocab_size=8000",
    )
    training = program(
        "run_pretraining",
        f"--flagfile={CONFIGS / 'demo_pretraining.flags'}",
        f"--input_file={output}/train.tfrecord",
        f"--eval_file={output}/eval.tfrecord",
        f"--vocab_file={output}/vocab.txt",
        f"--bert_config_file={CONFIGS / 'bert_demo.json'}",
        f"--output_dir={output}/bert",
    )
    curves = program(
        "plot_training",
        f"--run_dir={output}/bert",
        f"--output_file={output}/training.png",
    )
    saved_model = program(
        "export_saved_model",
        f"--input_dir={output}/bert",
        f"--output_dir={output}/saved_model",
    )
    tflite = program(
        "export_tflite",
        f"--input_dir={output}/bert",
        f"--output_file={output}/encoder.tflite",
        "--task=feature_extractor",
        "--kind=float32",
    )
    report = program("demo_report", f"--output_dir={output}")
    return [
        ("Collect text and split it into train and eval", corpus),
        ("Learn a vocabulary", vocabulary),
        ("Write training records", records("train")),
        ("Write evaluation records", records("eval", "--dupe_factor=1")),
        ("Pre-train a BERT", training),
        ("Plot the training curves", curves),
        ("Export a SavedModel", saved_model),
        ("Export a TFLite file", tflite),
        ("Evaluate and compare the exports", report),
    ]


def check_installed():
    """Raise ModuleNotFoundError if a package of a later stage is missing."""
    missing = [x for x in _PACKAGES if importlib.util.find_spec(x) is None]
    if missing:
        raise ModuleNotFoundError(
            f"The demo needs {', '.join(missing)}. "
            "Install with: pip install 'keras-bert-tf[demo]'",
            name=missing[0],
        )


@contextlib.contextmanager
def running(command, log):
    """Context manager that runs the process of a stage.

    Args:
        command: list of str, `keras-bert`, a program and its flags.
        log: `pathlib.Path` of the file for stdout and stderr.

    Yields:
        The `subprocess.Popen`.
    """
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [*_CONSOLE, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,  # Ctrl-C is handled by `_end`.
        )
    try:
        yield process
    finally:
        _end(process)


def _end(process):
    """Stop a stage with SIGINT, then SIGKILL after a timeout or a Ctrl-C."""
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(_SECONDS_TO_STOP)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def printed_lines(log):
    """Return the lines of a log without terminal codes and log prefixes.

    An empty log gives one empty line.
    """
    text = _TERMINAL_CODES.sub("", log.read_text("utf-8", errors="replace"))
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", text)]
    shown = [line for line in lines if line and not _NOISE.match(line)]
    return [_LOG_PREFIX.sub("", line) for line in shown] or [""]
