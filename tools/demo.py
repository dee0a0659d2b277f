"""The main job in one command: from plain text to a served BERT.

    python tools/demo.py --output_dir=demo-output
    python tools/demo.py --output_dir=demo-output --input_file='text/*.txt'

Each stage is a program of its own, shown as it would be typed; all that it
prints is kept in OUTPUT_DIR/logs. The output directory of an earlier demo is
made anew.
"""

import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from absl import flags

from keras_bert import command_line
from keras_bert.files import check_writable
from keras_bert.files import expand_patterns

_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Where everything goes.", required=True
)
_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    [],
    "Own text files: paths and globs. By default the documentation of the "
    "installed Python packages.",
)

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_POLL_SECONDS = 0.2
_LINES_OF_A_FAILURE = 15
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*m|\x08")
_NOISE = re.compile(
    r"[IWE]0000 |WARNING: All log messages|INFO: Created Tensor|To enable the"
)
_LOG_PREFIX = re.compile(r"^[IWE]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] ")


def main():
    output = pathlib.Path(_OUTPUT_DIR.value)
    if _INPUT_FILE.value:
        expand_patterns(_INPUT_FILE.value)
    _make_anew(output)
    stages = _stages(output, ",".join(_INPUT_FILE.value))
    for number, (title, command) in enumerate(stages, start=1):
        print(f"[{number}/{len(stages)}] {title}", flush=True)
        _run(command, output / "logs" / f"{number}.txt")
    print("\n".join(_lines(output / "logs" / f"{len(stages)}.txt")))


def _make_anew(output):
    """Empties the directory of an earlier demo; refuses any other."""
    check_writable(output)
    if any(output.iterdir()) and not (output / "logs").is_dir():
        raise ValueError(
            "--output_dir must be new, empty or of an earlier demo, for it is "
            f"made anew. Received: {str(output)!r}."
        )
    shutil.rmtree(output)
    (output / "logs").mkdir(parents=True)


def _stages(output, input_file):
    """What is done, as titles and command lines."""

    def records(part):
        return [
            "tools/create_pretraining_data.py",
            "--flagfile=configs/demo_data.flags",
            f"--input_file={output}/corpus/{part}.txt",
            f"--vocab_file={output}/vocab.txt",
            f"--output_file={output}/{part}.tfrecord",
        ]

    corpus = ["tools/collect_corpus.py", f"--output_dir={output}/corpus"]
    vocabulary = [
        "tools/learn_vocabulary.py",
        f"--input_file={output}/corpus/train.txt",
        f"--output_file={output}/vocab.txt",
        "--vocab_size=8000",
    ]
    training = [
        "tools/run_pretraining.py",
        "--flagfile=configs/demo_pretraining.flags",
        f"--input_file={output}/train.tfrecord",
        f"--eval_file={output}/eval.tfrecord",
        f"--vocab_file={output}/vocab.txt",
        "--bert_config_file=configs/bert_demo.json",
        f"--output_dir={output}/bert",
    ]
    export = [f"--input_dir={output}/bert", "--max_seq_length=64"]
    return [
        (
            "Collect prose, hold a part out",
            corpus + ([f"--input_file={input_file}"] if input_file else []),
        ),
        ("Learn a vocabulary", vocabulary),
        ("Write records to train on", records("train")),
        ("Write records to evaluate on", records("eval")),
        ("Train a BERT", training),
        (
            "Draw the curves",
            [
                "tools/plot_training.py",
                f"--run_dir={output}/bert",
                f"--output_file={output}/training.png",
            ],
        ),
        (
            "Export a SavedModel",
            [
                "tools/export_saved_model.py",
                f"--output_dir={output}/saved_model/1",
                *export,
            ],
        ),
        (
            "Export a TFLite file",
            [
                "tools/export_tflite.py",
                f"--output_file={output}/encoder.tflite",
                *export,
            ],
        ),
        (
            "Try all of it",
            ["tools/demo_report.py", f"--output_dir={output}"],
        ),
    ]


def _run(command, log):
    """Runs one stage, its last line of output showing, and times it."""
    print(f"    python {shlex.join(command)}", flush=True)
    start = time.monotonic()
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command], stdout=file, stderr=file, cwd=_ROOT
        )
    try:
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            if sys.stdout.isatty():
                _show(f"{time.monotonic() - start:5.0f} s  {_lines(log)[-1]}")
    finally:
        process.kill()
    if process.returncode:
        print("\n".join(_lines(log)[-_LINES_OF_A_FAILURE:]), file=sys.stderr)
        raise ValueError(f"The stage failed; all that it printed is in {log}.")
    last = "done" if log.stem == "9" else _lines(log)[-1]
    _show(f"{time.monotonic() - start:5.1f} s  {last}", end="\n")


def _show(line, end=""):
    width = shutil.get_terminal_size().columns - 5
    clear = "\r\x1b[K" if sys.stdout.isatty() else ""
    text = line[:width] if not end else line
    print(f"{clear}    {text}", end=end, flush=True)


def _lines(log):
    """What a stage printed, without terminal codes and log prefixes."""
    text = _TERMINAL_CODES.sub("", log.read_text(errors="replace"))
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", text)]
    shown = [line for line in lines if line and not _NOISE.match(line)]
    return [_LOG_PREFIX.sub("", line) for line in shown] or [""]


if __name__ == "__main__":
    command_line.run(main)
