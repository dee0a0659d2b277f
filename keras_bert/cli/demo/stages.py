"""Command lines and processes for the stages of the demo."""

import contextlib
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import sys

_PACKAGES = ("tokenizers", "matplotlib", "ai_edge_litert")
_SECONDS_TO_STOP = 10
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*m|\x08")
_NOISE = re.compile(
    r"[IWE]0000 |WARNING: All log messages|INFO: Created Tensor|To enable the"
    r"|Result: |Next: "
)
_LOG_PREFIX = re.compile(r"^[IWE]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] ")


def demo_stages(root, output, input_file):
    """Return the stages of the demo as (title, command line) pairs.

    Args:
        root: `pathlib.Path`, the directory that contains `tools` and
            `configs`.
        output: `pathlib.Path`, the output directory of the demo.
        input_file: str, value of `--input_file`, or "".
    """
    is_inside = pathlib.Path.cwd() in [root, *root.parents]
    place = pathlib.Path(os.path.relpath(root) if is_inside else root)

    def program(name, *arguments):
        return [str(place / "tools" / f"{name}.py"), *arguments]

    def config(name):
        return place / "configs" / name

    def records(part):
        return program(
            "create_pretraining_data",
            f"--flagfile={config('demo_data.flags')}",
            f"--input_file={output}/corpus/{part}.txt",
            f"--vocab_file={output}/vocab.txt",
            f"--output_file={output}/{part}.tfrecord",
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
        f"--flagfile={config('demo_pretraining.flags')}",
        f"--input_file={output}/train.tfrecord",
        f"--eval_file={output}/eval.tfrecord",
        f"--vocab_file={output}/vocab.txt",
        f"--bert_config_file={config('bert_demo.json')}",
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
        ("Write evaluation records", records("eval")),
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
        command: list of str, a Python program and its flags.
        log: `pathlib.Path` of the file for stdout and stderr.

    Yields:
        The `subprocess.Popen`.
    """
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command],
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
