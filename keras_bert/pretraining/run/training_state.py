"""States to go on from: weights, moments, step and random state.

A state is one file, `step-00001000.npz`, written under another name first.
Its arrays carry checksums, so a damaged file is noticed; then the one before
is taken.
"""

import json
import pathlib
import re
import zipfile

from absl import logging

from keras_bert.artifacts import atomic_file
from keras_bert.npz import READ_ERRORS
from keras_bert.npz import read_array
from keras_bert.npz import write_array

_NAME = re.compile(r"step-(\d{8})\.npz")
_ABOUT, _COUNT = "about", "num_variables"


def save_state(directory, step, variables, about, keep=2):
    """Writes a state and removes the oldest ones.

    Args:
        directory: str, existing.
        step: int, steps taken.
        variables: list of variables, in an order that is always the same.
        about: dict for JSON, which `restore_state` returns.
        keep: int, how many states stay.

    Raises:
        OSError: the disk is full, for example; the other states stay.
    """
    for left_over in pathlib.Path(directory).glob("*.tmp"):
        left_over.unlink()  # Of a run that was killed while it wrote.
    path = pathlib.Path(directory, f"step-{step:08d}.npz")
    about = {**about, "step": step, _COUNT: len(variables)}
    entries = [(_ABOUT, json.dumps(about))]
    entries += [(f"{i:05d}", variable) for i, variable in enumerate(variables)]
    with atomic_file(path) as name, zipfile.ZipFile(name, "w") as archive:
        for key, value in entries:
            write_array(archive, key, value)
    states = _states(directory)
    newest = states.index(path) + 1
    # Later ones are damaged, because the run went on from an earlier one.
    for other in states[:newest][:-keep] + states[newest:]:
        other.unlink()


def restore_state(directory, variables):
    """Reads the newest whole state into variables.

    Args:
        directory: str; it may not exist.
        variables: list of variables, in the order of `save_state`.

    Returns:
        The dict `about` of `save_state`, with "step"; None if there is no
        state.

    Raises:
        ValueError: there are states but none can be used, or the newest is
            of another model.
    """
    states = _states(directory)
    for path in reversed(states):
        try:
            about, values = _read(path)
        except READ_ERRORS:
            logging.warning("%s is damaged; the one before is taken.", path)
            continue
        _check_shapes(path, values, variables)
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
        return about
    if states:
        raise ValueError(
            f"None of the {len(states)} states in {directory} can be read. "
            "Move them away to start anew."
        )
    return None


def _read(path):
    """The dict and the arrays of a state whose checksums are right."""
    with zipfile.ZipFile(path) as archive:
        about = json.loads(str(read_array(archive, _ABOUT)))
        count = about.pop(_COUNT)
        return about, [read_array(archive, f"{i:05d}") for i in range(count)]


def _states(directory):
    """Paths of all states, the oldest first."""
    directory = pathlib.Path(directory)
    if not directory.is_dir():
        return []
    return sorted(p for p in directory.iterdir() if _NAME.fullmatch(p.name))


def _check_shapes(path, values, variables):
    found = [value.shape for value in values]
    expected = [tuple(variable.shape) for variable in variables]
    if found != expected:
        raise ValueError(
            f"{path} is of another model or optimizer: it holds {len(found)} "
            f"variables, {len(expected)} are wanted, or their shapes differ. "
            "Choose another `output_dir`."
        )
