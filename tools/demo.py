"""The main job in one command: from plain text to a served BERT.

    python tools/demo.py --output_dir=demo-output
    python tools/demo.py --output_dir=demo-output --input_file='text/*.txt'

Each stage is a program of its own, shown as it would be typed; all that it
prints is kept in OUTPUT_DIR/logs. With --overwrite the directory of an earlier
demo is made anew: its manifest.json lists what the demo wrote, and of a demo
that was killed, what stands where its last stage wrote counts as written by
that. With anything else in it the directory is refused.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from absl import flags

from keras_bert import command_line
from keras_bert import outputs
from keras_bert.files import expand_patterns
from keras_bert.files import whole_file

_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Where everything goes.", required=True
)
_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    [],
    "Own text files: paths and globs. By default the documentation of the "
    "installed Python packages.",
)

_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_MANIFEST = "manifest.json"
_UNDER_WAY = "under_way"  # Where a stage is writing, in the manifest.
_POLL_SECONDS = 0.2
_SECONDS_TO_STOP = 10
_LINES_OF_A_FAILURE = 15
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*m|\x08")
_NOISE = re.compile(
    r"[IWE]0000 |WARNING: All log messages|INFO: Created Tensor|To enable the"
)
_LOG_PREFIX = re.compile(r"^[IWE]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] ")


def main():
    output = pathlib.Path(_OUTPUT_DIR.value)
    inputs = expand_patterns(_INPUT_FILE.value) if _INPUT_FILE.value else []
    with _alone(output) if output.is_dir() else contextlib.nullcontext():
        _make_room(output, inputs)
    logs = output / "logs"
    logs.mkdir(parents=True)
    for end in (signal.SIGTERM, signal.SIGHUP):  # A stage is ended, too.
        signal.signal(end, signal.default_int_handler)
    stages = _stages(output, ",".join(_INPUT_FILE.value))
    with _alone(output) as lock:
        for number, (title, entry, command) in enumerate(stages, start=1):
            print(f"[{number}/{len(stages)}] {title}", flush=True)
            log = logs / f"{number}.txt"
            _record(output, [entry, f"logs/{log.name}"])
            _run(command, log, lock)
        _record(output, [])
    print("\n".join(_lines(log)))


@contextlib.contextmanager
def _alone(output):
    """Keeps other demos out, even if this one is killed and a stage is not."""
    lock = os.open(output, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield lock
    except BlockingIOError:
        raise ValueError(
            f"No other demo may be at work in --output_dir. Received: {output}"
            ", where one is, or a stage of one that was killed. Wait for it, "
            "or end it."
        ) from None
    finally:
        os.close(lock)


def _make_room(output, inputs):
    """Removes an earlier demo; refuses what holds anything else."""
    for path in inputs:
        if output.resolve() in pathlib.Path(path).resolve().parents:
            raise ValueError(
                "--input_file must not be inside --output_dir, which is made "
                f"anew. Received: {path} in {output}."
            )
    values = outputs.read_manifest(output / _MANIFEST)
    if values is not None and _UNDER_WAY not in values:
        raise ValueError(
            "--output_dir must be new, empty or of an earlier demo. Received: "
            f"{output}, which another program made."
        )
    unfinished = _unfinished(output, values) if values else []
    if unfinished and not _OVERWRITE.value:
        raise ValueError(
            f"An output must be new: {output} holds a demo that was not "
            "finished. Choose another name, or pass --overwrite to replace it."
        )
    if unfinished:
        _adopt(output, values, unfinished)
    outputs.check_output_directory(output, inputs, _OVERWRITE.value)
    outputs.remove_own(output)


def _unfinished(output, values):
    """The files that the last stage of a demo left when it was killed."""
    entries = "|".join(map(re.escape, [_MANIFEST, *values[_UNDER_WAY]]))
    # Also manifests, and what has no final name yet.
    pattern = rf"\.?(manifest-)?({entries})(\.json)?(\.\d+\.tmp|\.work)?(/.*)?"
    return [
        path
        for name, path in _files(output).items()
        if name not in values["files"] and re.fullmatch(pattern, name)
    ]


def _adopt(output, values, paths):
    """Adds files to those that the demo wrote."""
    for path in paths:
        values["files"][path.relative_to(output).as_posix()] = {
            "bytes": path.stat().st_size,
            "sha256": outputs.sha256(path),
        }
    with whole_file(output / _MANIFEST) as name:
        pathlib.Path(name).write_text(json.dumps(values), encoding="utf-8")


def _record(output, under_way):
    """Writes what the demo has made, and where the next stage writes."""
    outputs.write_manifest(
        output / _MANIFEST, _files(output), {_UNDER_WAY: under_way}
    )


def _files(output):
    return {
        path.relative_to(output).as_posix(): path
        for path in sorted(output.rglob("*"))
        if not path.is_dir() and path != output / _MANIFEST
    }


def _stages(output, input_file):
    """What is done, as titles, entries of `output` and command lines."""
    is_inside = pathlib.Path.cwd() in [_ROOT, *_ROOT.parents]
    place = pathlib.Path(os.path.relpath(_ROOT) if is_inside else _ROOT)

    def program(name, *arguments):
        return [str(place / "tools" / f"{name}.py"), *arguments]

    def config(name):
        return place / "configs" / name

    def records(part):
        name = f"{part}.tfrecord"
        return name, program(
            "create_pretraining_data",
            f"--flagfile={config('demo_data.flags')}",
            f"--input_file={output}/corpus/{part}.txt",
            f"--vocab_file={output}/vocab.txt",
            f"--output_file={output}/{name}",
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
        f"--output_dir={output}/saved_model/1",
    )
    tflite = program(
        "export_tflite",
        f"--input_dir={output}/bert",
        f"--output_file={output}/encoder.tflite",
    )
    report = program("demo_report", f"--output_dir={output}")
    return [
        ("Collect prose, hold a part out", "corpus", corpus),
        ("Learn a vocabulary", "vocab.txt", vocabulary),
        ("Write records to train on", *records("train")),
        ("Write records to evaluate on", *records("eval")),
        ("Train a BERT", "bert", training),
        ("Draw the curves", "training.png", curves),
        ("Export a SavedModel", "saved_model", saved_model),
        ("Export a TFLite file", "encoder.tflite", tflite),
        ("Try all of it", "report", report),
    ]


def _run(command, log, lock):
    """Runs one stage, its last line of output showing, and times it."""
    print(f"    python {shlex.join(command)}", flush=True)
    start = time.monotonic()
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,  # Ctrl-C comes from `_end`, once.
            pass_fds=[lock],
        )
    try:
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            if sys.stdout.isatty():
                _show(f"{time.monotonic() - start:5.0f} s  {_lines(log)[-1]}")
    finally:
        _end(process)
    if process.returncode:
        print("\n".join(_lines(log)[-_LINES_OF_A_FAILURE:]), file=sys.stderr)
        raise ValueError(f"The stage failed; all that it printed is in {log}.")
    last = "done" if log.stem == "9" else _lines(log)[-1]
    _show(f"{time.monotonic() - start:5.1f} s  {last}", end="\n")


def _end(process):
    """Ends a stage as Ctrl-C does; kills it if asked again or if it hangs."""
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(_SECONDS_TO_STOP)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


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
