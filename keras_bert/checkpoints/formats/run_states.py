"""Runs of pre-training that are not finished: the newest state."""

import json
import zipfile

import numpy as np
from absl import logging

from keras_bert.checkpoints.arrays.raw_arrays import check_float
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.formats.description import read_description
from keras_bert.checkpoints.layout import states
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.weight_map import own_places
from keras_bert.npz import DAMAGES
from keras_bert.npz import read_array


def open_states(directory, lowercase=None):
    """Opens the newest whole state of a run that is not finished.

    Args:
        directory: `pathlib.Path`, the output directory of the run.
        lowercase: bool, what the caller says of the casing, or None.

    Returns:
        A `Source`.

    Raises:
        CheckpointError: no state can be used, or a file beside them is
            missing.
    """
    folder = directory / "states"
    config, tokenizer = read_description(folder, lowercase)
    step, arrays = _newest(directory)
    logging.info(
        "%s is not finished: the state of step %d is read.", directory, step
    )
    return Source(
        name=arrays.path,
        config=config,
        tokenizer=tokenizer,
        arrays=arrays,
        places=own_places,
    )


def say_if_unfinished(directory, weights):
    """Logs where a run has gone on from its finished checkpoint.

    Args:
        directory: `pathlib.Path` of the checkpoint.
        weights: str, the name of its file of weights.
    """
    finished = (directory / weights).stat().st_mtime_ns
    for step, path in reversed(states(directory).items()):
        if path.stat().st_mtime_ns > finished:
            logging.warning(
                "%s is read as its last finished run has left it; the state "
                "of step %d is later and is not read.",
                directory,
                step,
            )
        return


class StateFile:
    """The weights in a state, by their paths.

    Args:
        path: `pathlib.Path` of a `step-NNNNNNNN.npz`.

    Raises:
        One of `DAMAGES`: the file is not whole. All weights are read once
            for that.
    """

    def __init__(self, path):
        self.path = str(path)
        about = json.loads(str(self._array("about")))
        self._keys = {
            weight: f"{index:05d}"
            for index, weight in enumerate(about["weights"])
        }
        self.shapes = {name: self.read(name).shape for name in self._keys}

    def read(self, name):
        """A float32 array; `name` is one of `shapes`."""
        array = self._array(self._keys[name])
        check_float(self.path, name, array.dtype.name)
        return array.astype(np.float32, copy=False)

    def _array(self, key):
        with zipfile.ZipFile(self.path) as archive:
            return read_array(archive, key)


def _newest(directory):
    found = states(directory)
    for step, path in reversed(found.items()):
        try:
            return step, StateFile(path)
        except DAMAGES:
            logging.warning("%s is damaged; the one before is taken.", path)
    raise CheckpointError(
        f"None of the {len(found)} states in {directory / 'states'} can be "
        "read. Go on with the run until it has saved another."
    )
