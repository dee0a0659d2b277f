"""Every change of a file fails once, and a process is killed before it.

What was there before is there after, or the new output is; no file with a final
name is half-written; and the next call succeeds.
"""

import functools
import os
import pathlib
import shutil

import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.tasks import TextClassifier
from tests import tiny
from tests.faults.writes import Writer
from tests.faults.writes import contents_of
from tests.faults.writes import digest
from tests.faults.writes import fill_all
from tests.faults.writes import try_all
from tests.tools.calls import PROGRAMS
from tests.tools.calls import WRITERS

pytestmark = pytest.mark.large

_POINT = '{"step": 2, "split": "train", "mlm_loss": 1.0}\n'
_DISK = os.environ.get("SMALL_DISK")
# Programs that take less than a second.
_FAST = ("convert_checkpoint", "create_pretraining_data", "learn_vocabulary")


def _nothing(folder):
    return None


def _model_in(name):
    """Return a function that reads the weights of a model in a folder."""

    def read(folder):
        if not contents_of(folder / name):
            return None
        return digest(from_pretrained(folder / name))

    return read


def _directory(name):
    """Return a function that reads all files of an output."""
    return lambda folder: contents_of(folder / name)


# Outputs of several files, which must never be a mixture of old and new.
_WHOLE = {
    "convert_checkpoint": _model_in("converted"),
    "make_long": _model_in("long"),
    "export_onnx": _directory("onnx"),
    "export_saved_model": _directory("served/1"),
    **{
        name: _directory(PROGRAMS[name].flags["output_dir"])
        for name in WRITERS
        if name.startswith("run_") and PROGRAMS[name].replaces
    },
}


class _ProgramError(Exception):
    """A program ended with an error."""


@pytest.mark.smoke(*_FAST)
@pytest.mark.parametrize(
    "tool",
    [
        pytest.param(name, marks=[pytest.mark.beam] * PROGRAMS[name].needs_beam)
        for name in WRITERS
    ],
)
def test_a_program_loses_nothing(run, files, tmp_path, tool):
    program = PROGRAMS[tool]
    new = Writer(functools.partial(_run, run, tool), _WHOLE.get(tool, _nothing))
    try_all(new, files, tmp_path / "new")
    if program.replaces:
        start = shutil.copytree(files, tmp_path / "start")
        _run(run, tool, start)
        _change(start)
        try_all(new, start, tmp_path / "replaced")


@pytest.mark.exhaustive
@pytest.mark.skipif(not _DISK, reason="SMALL_DISK names no small file system.")
@pytest.mark.parametrize(
    "tool", [x for x in WRITERS if not PROGRAMS[x].needs_beam]
)
def test_a_full_disk_loses_nothing(run, files, tmp_path, tool):
    """Run on a disk of about 20 MB.

    mount -t tmpfs -o size=20m tmpfs DIR
    SMALL_DISK=DIR python -m pytest -m exhaustive -k full_disk tests/faults
    """
    program = PROGRAMS[tool]
    writer = Writer(
        functools.partial(_run, run, tool), _WHOLE.get(tool, _nothing)
    )
    start = shutil.copytree(files, tmp_path / "start")
    if program.replaces:
        _run(run, tool, start)
        _change(start)
    place = pathlib.Path(_DISK, tool)
    place.mkdir()
    try:
        fill_all(writer, start, place, tmp_path / "killed")
    finally:
        shutil.rmtree(place)


def _run(run, tool, folder):
    program = PROGRAMS[tool]
    arguments = [f"--{k}={v}" for k, v in program.flags.items()]
    arguments += ["--overwrite"] * program.replaces
    code, _, errors = run(tool, *arguments, folder=folder)
    if code:
        line = errors.splitlines()[-1]
        assert line.startswith("Error: "), errors
        raise _ProgramError(line)


def _change(folder):
    """Change the inputs, so that the next output differs."""
    for name, text in (
        ("text.txt", "\n\nThe new dog sees the old cat.\nA bird finds it."),
        ("masked.txt", "A [MASK] sees a cat.\n"),
        ("run/metrics.jsonl", _POINT),
    ):
        with open(folder / name, "a") as file:
            file.write(text)
    bert = from_pretrained(folder / "bert")
    tiny.widened(bert)
    save_pretrained(bert, folder / "bert", overwrite=True)
    classifier = TextClassifier.from_pretrained(folder / "classifier")
    tiny.widened(classifier.model)
    classifier.save(folder / "classifier", overwrite=True)
