"""Our own directories: config, vocabulary and a weights file of Keras."""

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.hdf5_file import Hdf5File
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.tokenizer_files import read_tokenizer
from keras_bert.checkpoints.tokenizer_files import write_tokenizer
from keras_bert.checkpoints.weight_table import own_places
from keras_bert.config import BertConfig

_CONFIG = "bert_config.json"
_WEIGHTS = "model.weights.h5"
_MAX_CHARS_PER_WORD = 200


def is_own(directory):
    """Whether a directory is one of ours."""
    return (directory / _WEIGHTS).is_file()


def open_own(directory):
    """Opens a directory of ours.

    Args:
        directory: `pathlib.Path`.

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
    return Source(
        name=str(directory / _WEIGHTS),
        config=config,
        tokenizer=read_tokenizer(directory, _MAX_CHARS_PER_WORD),
        arrays=Hdf5File(directory / _WEIGHTS),
        places=own_places,
    )


def write_own(bert, directory):
    """Writes a directory of ours; `model.load_weights` reads the weights too.

    Args:
        bert: `Bert`.
        directory: `pathlib.Path`, existing.

    Returns:
        The names of the files, that of the weights first.
    """
    bert.model.save_weights(directory / _WEIGHTS)
    bert.config.to_json(directory / _CONFIG)
    return [_WEIGHTS, *write_tokenizer(bert.tokenizer, directory), _CONFIG]
