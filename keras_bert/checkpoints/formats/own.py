"""Checkpoints in the format of this library.

Weights are named by their paths, and the config defines the model. An
unfinished pre-training run has no weights file. Its saved training states
contain the weights and the values that are needed to resume training.
"""

import json
import pathlib
import typing
import zipfile

import numpy as np
from absl import logging

from keras_bert.checkpoints.arrays.raw_arrays import check_float
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_weights
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.layout import CONFIG
from keras_bert.checkpoints.layout import states
from keras_bert.checkpoints.source import OpenedCheckpoint
from keras_bert.checkpoints.task_record import read_task
from keras_bert.checkpoints.task_record import write_task
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.checkpoints.weight_map import own_locations
from keras_bert.files.npz import READ_ERRORS
from keras_bert.files.npz import read_array

if typing.TYPE_CHECKING:
    from keras_bert.checkpoints.pretrained_model import PretrainedModel

_WEIGHTS = "model.safetensors"
_MAX_CHARS_PER_WORD = 200


def open_own(
    directory: pathlib.Path, lowercase: bool | None = None
) -> OpenedCheckpoint:
    """Open a checkpoint directory of this library."""
    config, tokenizer = _read_description(directory, lowercase)
    if not (directory / _WEIGHTS).is_file():
        raise CheckpointError(f"{directory} does not contain {_WEIGHTS}.")
    _say_if_unfinished(directory)
    return OpenedCheckpoint(
        name=str(directory / _WEIGHTS),
        config=config,
        tokenizer=tokenizer,
        arrays=SafetensorsFile(directory / _WEIGHTS),
        locations=own_locations,
        task=read_task(directory),
    )


def write_own(model: "PretrainedModel", directory: pathlib.Path) -> None:
    """Write a checkpoint directory of this library."""
    write_weights(directory / _WEIGHTS, model.weights)
    write_description(model, directory)
    write_task(model, directory)


def _read_description(directory, lowercase=None):
    if not (directory / CONFIG).is_file():
        raise CheckpointError(f"{directory} does not contain {CONFIG}.")
    config = read_config(directory / CONFIG)
    tokenizer_type = find_family(config.model_type).tokenizer
    return config, read_tokenizer(
        tokenizer_type, directory, _MAX_CHARS_PER_WORD, lowercase
    )


def write_description(model, directory):
    """Write the config and the tokenizer files."""
    model.config.to_json(directory / CONFIG)
    model.tokenizer_settings.write(directory)


def open_states(
    directory: pathlib.Path, lowercase: bool | None = None
) -> OpenedCheckpoint:
    """Open the newest undamaged training state of an unfinished run."""
    folder = directory / "states"
    config, tokenizer = _read_description(folder, lowercase)
    step, arrays = _newest(directory)
    logging.info(
        "%s is unfinished: reading the state of step %d.", directory, step
    )
    return OpenedCheckpoint(
        name=arrays.path,
        config=config,
        tokenizer=tokenizer,
        arrays=arrays,
        locations=own_locations,
    )


def _say_if_unfinished(directory):
    """Warn if training continued after the checkpoint was written."""
    finished = (directory / _WEIGHTS).stat().st_mtime_ns
    for step, path in reversed(states(directory).items()):
        if path.stat().st_mtime_ns > finished:
            logging.warning(
                "Reading the finished checkpoint in %s. The state of step %d "
                "is newer and is ignored.",
                directory,
                step,
            )
        return


class _StateFile:
    """Reader for the weights in a training state `step-NNNNNNNN.npz`.

    Arrays with the same weight path are summed. Arrays without a weight path
    are ignored. The other arrays are read once, to raise one of `READ_ERRORS`
    if the file is corrupted.
    """

    def __init__(self, path):
        self.path = str(path)
        about = json.loads(str(self._array("about")))
        self._keys = {}
        for index, weight in enumerate(about["weights"]):
            if weight is not None:
                self._keys.setdefault(weight, []).append(f"{index:05d}")
        self.shapes = {name: self.read(name).shape for name in self._keys}

    def read(self, name):
        arrays = [self._array(key) for key in self._keys[name]]
        check_float(self.path, name, arrays[0].dtype.name)
        return sum(arrays).astype(np.float32, copy=False)

    def _array(self, key):
        with zipfile.ZipFile(self.path) as archive:
            return read_array(archive, key)


def _newest(directory):
    paths = states(directory)
    for step, path in reversed(paths.items()):
        try:
            return step, _StateFile(path)
        except READ_ERRORS:
            logging.warning("%s is damaged; reading the previous state.", path)
    raise CheckpointError(
        f"None of the {len(paths)} states in {directory / 'states'} can be "
        "read. Continue the run until it saves another state."
    )
