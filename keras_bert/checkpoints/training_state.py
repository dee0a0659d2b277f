"""Training states with weights, moments, step and random state.

A state is one file, such as `step-00001000.npz`, written under a temporary
name first. Its arrays have checksums: if the newest file is damaged, the
previous one is loaded.
"""

import json
import pathlib
import re
import zipfile

from absl import logging

from keras_bert.files.atomic import atomic_file
from keras_bert.files.npz import READ_ERRORS
from keras_bert.files.npz import read_array
from keras_bert.files.npz import write_array

_NAME = re.compile(r"step-(\d{8})\.npz")
# Names of file entries, as in earlier versions.
_METADATA, _COUNT = "about", "num_variables"


def save_state(directory, step, variables, metadata, keep=2):
    """Write a state and delete the oldest ones.

    Args:
        directory: str, an existing directory.
        step: int, number of finished steps.
        variables: list of variables, in the same order in every call.
        metadata: JSON-serializable dict, which `restore_state` returns.
        keep: int, number of states to keep.

    Raises:
        OSError: for example, the disk is full; the other states are kept.
    """
    for left_over in pathlib.Path(directory).glob("*.tmp"):
        left_over.unlink()  # Left by a run that was killed while writing.
    path = pathlib.Path(directory, f"step-{step:08d}.npz")
    metadata = {**metadata, "step": step, _COUNT: len(variables)}
    entries = [(_METADATA, json.dumps(metadata))]
    entries += [(f"{i:05d}", variable) for i, variable in enumerate(variables)]
    with atomic_file(path) as name, zipfile.ZipFile(name, "w") as archive:
        for key, value in entries:
            write_array(archive, key, value)
    states = _states(directory)
    newest = states.index(path) + 1
    # States of later steps are damaged, because the run resumed from an earlier
    # state.
    for other in states[:newest][:-keep] + states[newest:]:
        other.unlink()


def restore_state(directory, variables):
    """Load the newest undamaged state into variables and return its metadata.

    Args:
        directory: str, which need not exist.
        variables: list of variables, in the order of `save_state`.

    Returns:
        The dict `metadata` of `save_state`, with "step"; None if there is no
        state.

    Raises:
        ValueError: all states are damaged, or the newest one belongs to a
            different model.
    """
    states = _states(directory)
    for path in reversed(states):
        try:
            metadata, values = _read(path)
        except READ_ERRORS:
            logging.warning("%s is damaged; loading the previous state.", path)
            continue
        _check_shapes(path, values, variables)
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
        return metadata
    if states:
        raise ValueError(
            f"None of the {len(states)} states in {directory} can be read. "
            "Move or delete them to train from the beginning."
        )
    return None


def _read(path):
    """Read a state, verify its checksums and return the metadata and arrays."""
    with zipfile.ZipFile(path) as archive:
        metadata = json.loads(str(read_array(archive, _METADATA)))
        count = metadata.pop(_COUNT)
        return metadata, [read_array(archive, f"{i:05d}") for i in range(count)]


def _states(directory):
    """Return the paths of all states, oldest first."""
    directory = pathlib.Path(directory)
    if not directory.is_dir():
        return []
    return sorted(p for p in directory.iterdir() if _NAME.fullmatch(p.name))


def _check_shapes(path, values, variables):
    stored = [value.shape for value in values]
    expected = [tuple(variable.shape) for variable in variables]
    if stored != expected:
        raise ValueError(
            f"{path} belongs to a different model or optimizer: its variables "
            f"have different shapes. Received: {len(stored)} variables, "
            f"expected {len(expected)}. Choose another directory."
        )
