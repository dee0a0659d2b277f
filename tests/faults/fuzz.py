"""Search for inputs that the readers of the library do not handle.

    python -m tests.faults.fuzz STATE [INPUTS]
    python -m tests.faults.fuzz

A reader must return, or raise a ValueError or an OSError with the name of the
file or of its directory, within five seconds of CPU time and a fixed amount of
memory. Each format is tested in a process of its own for some seconds at a
time, until INPUTS (10 million) inputs were read.

STATE/counts.json has the number of inputs of each format. Inputs that reach new
lines of the library are kept in STATE/corpus and mutated further; rows with the
key "fault" are faults. A stopped program continues when it is started again.
To test the inputs again with `replay_test.py`, copy the rows to
`tests/faults/corpus`. Without STATE, the program reads these inputs and prints
their faults.
"""

import base64
import json
import multiprocessing
import os
import pathlib
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zlib

import numpy as np
from absl import logging

import keras_bert
from tests.faults import mutators
from tests.faults.formats import FORMATS

_CORPUS = pathlib.Path(__file__).parent / "corpus"
_PACKAGE = str(pathlib.Path(keras_bert.__file__).parent)
_FOLDER = "/dev/shm" if os.path.isdir("/dev/shm") else None  # In memory.
_PAGES, _MAX_MEMORY = pathlib.Path("/proc/self/statm"), 2**29
_CPU_S, _WALL_S, _START_S = 5, 60, 300
_TRACED = 8  # Every eighth input is traced, because tracing is slow.
_MAX_BYTES = 50_000  # Longer inputs are neither kept nor mutated again.


class Hang(BaseException):
    """Exception for a reader that takes too long."""


def _raise_hang(*_):
    raise Hang


def prepare(format, folder):
    """Write a valid directory, read it, and limit the memory.

    Returns:
        A list of valid inputs.
    """
    logging.set_verbosity(logging.FATAL)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    signal.signal(signal.SIGPROF, _raise_hang)
    if not folder.exists():
        folder.mkdir()
        format.make(folder)
        (folder / format.file).rename(folder / "seed")
    seeds = [(folder / "seed").read_bytes(), *format.seeds]
    for seed in seeds:
        check(format, folder, seed, limit=_START_S)
    if _PAGES.exists():  # Only on Linux.
        size = int(_PAGES.read_text().split()[0]) * resource.getpagesize()
        limits = size + _MAX_MEMORY, resource.RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_AS, limits)
    return seeds


def check(format, folder, data, limit=_CPU_S):
    """Read an input and return the kind of its fault, or None."""
    path = folder / format.file
    path.unlink(missing_ok=True)  # The old file may still be mapped.
    path.write_bytes(data)
    try:
        signal.setitimer(signal.ITIMER_PROF, limit)
        format.read(folder, path)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        is_known = isinstance(error, ValueError | OSError)
        if is_known and any(x in str(error) for x in (path.name, str(folder))):
            return None
        frames = ["?"] + [
            f"{x.filename.removeprefix(_PACKAGE)}:{x.name}"
            for x in traceback.extract_tb(error.__traceback__)
            if x.filename.startswith(_PACKAGE)
        ]
        return f"{type(error).__name__} in {frames[-1]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def traced(*arguments):
    """Return the result of `check` and the lines of the library it reaches."""
    lines = set()

    def on_line(frame, event, argument):
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    def on_call(frame, event, argument):
        is_own = frame.f_code.co_filename.startswith(_PACKAGE)
        return on_line if is_own else None

    sys.settrace(on_call)
    try:
        return check(*arguments), lines
    finally:
        sys.settrace(None)


def read_inputs(path):
    """Return the inputs of a corpus file, without an unfinished line."""
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    rows = [json.loads(line)["data"] for line in lines]
    return [zlib.decompress(base64.b64decode(data)) for data in rows]


def keep(path, data, **values):
    """Append an input to a corpus file."""
    text = base64.b64encode(zlib.compress(data, 9)).decode()
    with open(path, "a") as file:
        file.write(json.dumps({**values, "data": text}) + "\n")


def work(name, kept, folder, number, seconds):
    """Test a format for some seconds; count the inputs in `number`."""
    sys.stderr = open(kept.with_suffix(".errors"), "a", 1)
    format, suffix = FORMATS[name], pathlib.Path(FORMATS[name].file).suffix
    mutate = mutators.MUTATORS.get(suffix, mutators.mutate_bytes)
    corpus, lines, kinds = prepare(format, folder), set(), {None}
    corpus += read_inputs(_CORPUS / f"{name}.jsonl") + read_inputs(kept)
    for data in corpus:
        kind, reached = traced(format, folder, data)
        kinds.add(kind)
        lines |= reached
    end = time.time() + seconds
    while time.time() < end:
        chance = random.Random(f"{name} {number.value}")
        data = chance.choice(corpus)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            if len(data) < _MAX_BYTES:
                data = mutate(chance, data)
        number.value += 1
        reached = set()
        if number.value % _TRACED:
            kind = check(format, folder, data)
        else:
            kind, reached = traced(format, folder, data)
        if kind not in kinds:
            kinds.add(kind)
            keep(kept, data, fault=kind)
        elif reached - lines and len(data) < _MAX_BYTES:
            corpus.append(data)
            keep(kept, data)
        lines |= reached


def run_slice(name, kept, folder, count, seconds):
    """Run `work` in a process; return the new number of inputs."""
    context = multiprocessing.get_context("fork")
    number = context.Value("q", count, lock=False)
    arguments = name, kept, folder, number, seconds
    process = context.Process(target=work, args=arguments)
    process.start()
    changed, before = time.time(), count
    while process.is_alive():
        process.join(0.5)
        if number.value != before:
            before, changed = number.value, time.time()
        limit = _START_S if before == count else _WALL_S
        if time.time() - changed > limit:
            process.kill()
            process.join()
    if process.exitcode and number.value > count:
        data = (folder / FORMATS[name].file).read_bytes()
        keep(kept, data, fault=f"exit code {process.exitcode}")
    return number.value


def run(state, wanted):
    """Test the formats in turn until their inputs have a number."""
    (state / "corpus").mkdir(parents=True, exist_ok=True)
    path, counts = state / "counts.json", {x: [0, 0.0] for x in FORMATS}
    if path.exists():
        counts |= json.loads(path.read_text())
    with tempfile.TemporaryDirectory(dir=_FOLDER) as folder:
        while sum(count for count, _ in counts.values()) < wanted:
            name = min(FORMATS, key=lambda x: counts[x][1] / _slice(*counts[x]))
            kept, own = state / f"corpus/{name}.jsonl", pathlib.Path(folder)
            (count, seconds), start = counts[name], time.time()
            length = _slice(count, seconds)
            count = run_slice(name, kept, own / name, count, length)
            counts[name] = count, seconds + time.time() - start
            path.with_suffix(".tmp").write_text(json.dumps(counts))
            path.with_suffix(".tmp").replace(path)


def _slice(count, seconds):
    """Return the seconds of the next slice; fast formats get more."""
    return min(60, 6 + count / max(seconds, 1) / 20)


def replay():
    """Read the inputs of `tests/faults/corpus` and print the faults."""
    with tempfile.TemporaryDirectory(dir=_FOLDER) as folder:
        for name, format in FORMATS.items():
            own = pathlib.Path(folder, name)
            prepare(format, own)
            for data in read_inputs(_CORPUS / f"{name}.jsonl"):
                kind = check(format, own, data)
                if kind:
                    print(f"{name}: {kind}. Received: {data[:200]}.")


if __name__ == "__main__":
    if sys.argv[1:]:
        run(pathlib.Path(sys.argv[1]), int([*sys.argv, 10**7][2]))
    else:
        replay()
