"""Our own directories: config, vocabulary and a weights file of Keras."""

import contextlib
import errno
import os

from keras_bert.checkpoints.arrays.hdf5_file import Hdf5File
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.formats.run_states import say_if_unfinished
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.tokenizer_files import read_tokenizer
from keras_bert.checkpoints.tokenizer_files import write_tokenizer
from keras_bert.checkpoints.weight_map import own_places
from keras_bert.config import BertConfig

_CONFIG = "bert_config.json"
_WEIGHTS = "model.weights.h5"
_MAX_CHARS_PER_WORD = 200


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
    try:
        config = BertConfig.from_json(directory / _CONFIG)
    except FileNotFoundError:
        raise CheckpointError(f"{directory} lacks {_CONFIG}.") from None
    except ValueError as error:
        raise CheckpointError(str(error)) from None
    say_if_unfinished(directory, _WEIGHTS)
    return Source(
        name=str(directory / _WEIGHTS),
        config=config,
        tokenizer=read_tokenizer(directory, _MAX_CHARS_PER_WORD, lowercase),
        arrays=Hdf5File(directory / _WEIGHTS),
        places=own_places,
    )


def write_own(bert, directory):
    """Writes a directory of ours; `model.load_weights` reads the weights too.

    Args:
        bert: `Bert`.
        directory: `pathlib.Path`, existing.
    """
    with _full_disk_told():
        bert.model.save_weights(directory / _WEIGHTS)
    bert.config.to_json(directory / _CONFIG)
    write_tokenizer(bert.tokenizer, directory)


@contextlib.contextmanager
def _full_disk_told():
    """HDF5 tells of a full disk in words, within whatever exception."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        for code in (errno.ENOSPC, errno.EDQUOT):
            if f"errno = {code}," in str(error):
                raise OSError(code, os.strerror(code)) from None
        raise
