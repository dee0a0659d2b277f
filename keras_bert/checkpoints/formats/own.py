"""Our own directories: config, tokenizer files and weights by their paths.

No class is named in them: the model is made from its config. A run of
pre-training that is not finished has states instead of weights.
"""

import json
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
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.task_record import read_task
from keras_bert.checkpoints.task_record import write_task
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.checkpoints.weight_map import own_places
from keras_bert.npz import READ_ERRORS
from keras_bert.npz import read_array

_WEIGHTS = "model.safetensors"
_MAX_CHARS_PER_WORD = 200


def open_own(directory, lowercase=None):
    """Opens a directory of ours."""
    config, tokenizer = _read_description(directory, lowercase)
    if not (directory / _WEIGHTS).is_file():
        raise CheckpointError(f"{directory} lacks {_WEIGHTS}.")
    _say_if_unfinished(directory)
    return Source(
        name=str(directory / _WEIGHTS),
        config=config,
        tokenizer=tokenizer,
        arrays=SafetensorsFile(directory / _WEIGHTS),
        places=own_places,
        task=read_task(directory),
    )


def write_own(model, directory):
    """Writes a directory of ours."""
    write_weights(directory / _WEIGHTS, model.weights)
    write_description(model, directory)
    write_task(model, directory)


def _read_description(directory, lowercase=None):
    if not (directory / CONFIG).is_file():
        raise CheckpointError(f"{directory} lacks {CONFIG}.")
    config = read_config(directory / CONFIG)
    kind = find_family(config.model_type).tokenizer
    return config, read_tokenizer(
        kind, directory, _MAX_CHARS_PER_WORD, lowercase
    )


def write_description(model, directory):
    """Writes config and tokenizer."""
    model.config.to_json(directory / CONFIG)
    model.tokenizer_settings.write(directory)


def open_states(directory, lowercase=None):
    """Opens the newest whole state of a run that is not finished."""
    folder = directory / "states"
    config, tokenizer = _read_description(folder, lowercase)
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


def _say_if_unfinished(directory):
    """Logs where a run has gone on from its finished checkpoint."""
    finished = (directory / _WEIGHTS).stat().st_mtime_ns
    for step, path in reversed(states(directory).items()):
        if path.stat().st_mtime_ns > finished:
            logging.warning(
                "%s is read as its last finished run has left it; the state "
                "of step %d is later and is not read.",
                directory,
                step,
            )
        return


class _StateFile:
    """The weights in a `step-NNNNNNNN.npz`, by their paths.

    Those of a second model that the run trains have none; arrays of one path
    are added up. All are read once, to raise one of `READ_ERRORS` if the file
    is corrupted.
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
    found = states(directory)
    for step, path in reversed(found.items()):
        try:
            return step, _StateFile(path)
        except READ_ERRORS:
            logging.warning("%s is damaged; the one before is taken.", path)
    raise CheckpointError(
        f"None of the {len(found)} states in {directory / 'states'} can be "
        "read. Go on with the run until it has saved another."
    )
