"""Config and tokenizer of a directory of ours."""

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.layout import CONFIG
from keras_bert.checkpoints.tokenizer import read_tokenizer

_MAX_CHARS_PER_WORD = 200


def read_description(directory, lowercase=None):
    """Reads config and tokenizer.

    Args:
        directory: `pathlib.Path`.
        lowercase: bool, what the caller says of the casing, or None.

    Returns:
        The config, and the settings of the tokenizer.

    Raises:
        CheckpointError: a file is missing or cannot be used.
    """
    try:
        config = read_config(directory / CONFIG)
    except FileNotFoundError:
        raise CheckpointError(f"{directory} lacks {CONFIG}.") from None
    except ValueError as error:
        raise CheckpointError(str(error)) from None
    kind = find_family(config.model_type).tokenizer
    return config, read_tokenizer(
        kind, directory, _MAX_CHARS_PER_WORD, lowercase
    )


def write_description(model, directory):
    """Writes config and tokenizer.

    Args:
        model: `PretrainedModel`.
        directory: `pathlib.Path`, existing.
    """
    model.config.to_json(directory / CONFIG)
    model.tokenizer_settings.save(directory)
