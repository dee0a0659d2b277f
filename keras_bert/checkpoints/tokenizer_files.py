"""The tokenizer of a checkpoint directory."""

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.text.tokenizer_kinds import KINDS


def read_tokenizer(kind, directory, max_chars_per_word, lowercase=None):
    """Reads what the tokenizer of a checkpoint directory is made of.

    Args:
        kind: str, the `tokenizer` of a `Family`, a key of `KINDS`.
        directory: `pathlib.Path`.
        max_chars_per_word: int, the limit of the format, where no file says
            otherwise and the kind has one.
        lowercase: bool, what the caller says of the casing, or None.

    Returns:
        The settings of a tokenizer.

    Raises:
        CheckpointError: a file is missing or cannot be used, nothing tells
            the casing, or two tell it otherwise.
    """
    try:
        return KINDS[kind].read(directory, max_chars_per_word, lowercase)
    except ValueError as error:
        raise CheckpointError(str(error)) from None
