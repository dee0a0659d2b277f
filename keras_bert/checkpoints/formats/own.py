"""Our own directories: config, tokenizer files and weights by their paths.

No class is named in them: the model is made from its config.
"""

import numpy as np

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.formats.description import read_description
from keras_bert.checkpoints.formats.description import write_description
from keras_bert.checkpoints.formats.run_states import say_if_unfinished
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.task_record import read_task
from keras_bert.checkpoints.task_record import write_task
from keras_bert.checkpoints.weight_map import own_places

_WEIGHTS = "model.safetensors"


def open_own(directory, lowercase=None):
    """Opens a directory of ours.

    Args:
        directory: `pathlib.Path`.
        lowercase: bool, what the caller says of the casing, or None.

    Returns:
        A `Source`.

    Raises:
        CheckpointError: a file is missing or cannot be used.
    """
    config, tokenizer = read_description(directory, lowercase)
    if not (directory / _WEIGHTS).is_file():
        raise CheckpointError(f"{directory} lacks {_WEIGHTS}.")
    say_if_unfinished(directory, _WEIGHTS)
    return Source(
        name=str(directory / _WEIGHTS),
        config=config,
        tokenizer=tokenizer,
        arrays=SafetensorsFile(directory / _WEIGHTS),
        places=own_places,
        task=read_task(directory),
    )


def write_own(model, directory):
    """Writes a directory of ours.

    Args:
        model: `PretrainedModel`.
        directory: `pathlib.Path`, existing.
    """
    write_safetensors(
        directory / _WEIGHTS,
        [
            (path, tuple(weight.shape), lambda w=weight: np.asarray(w))
            for path, weight in model.weights.items()
        ],
    )
    write_description(model, directory)
    write_task(model, directory)
