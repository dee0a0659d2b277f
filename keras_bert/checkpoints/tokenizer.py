"""Tokenizer of a checkpoint, read from its files and held to its config."""

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.load_error_hints import vocabulary_hint
from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_directory

# Tables are padded to a multiple of one of these; of round numbers, as those
# of DeBERTa, where a vocabulary is a hundred times as large.
_POWERS = (1, 2, 4, 8, 16, 32, 64, 128)
_ROUND = (100, 1000)


def read_tokenizer(kind, directory, max_chars_per_word, lowercase=None):
    """Reads the settings of the tokenizer of a checkpoint directory.

    Args:
        kind: str, the `tokenizer` of the `Family`, which is looked for first.
        directory: `pathlib.Path`, whose files decide.
        max_chars_per_word: int, the limit of the format, where no file says
            otherwise and the kind has one.
        lowercase: bool, what the caller says of the casing, or None.

    Raises:
        CheckpointError: a file is missing or cannot be used, nothing tells
            the casing, or two tell it otherwise.
    """
    try:
        kind = KINDS[kind_of_directory(directory, kind)]
        return kind.read(directory, max_chars_per_word, lowercase)
    except ValueError as error:
        raise CheckpointError(str(error)) from None


def check_tokenizer(config, tokenizer):
    """Raises ValueError unless a config and a tokenizer fit each other.

    The size must be that of the config, and so the id of padding, where the
    config has one. A table that is padded to a multiple of a power of two, up
    to 128, or of 100 or 1,000, has the vocabulary's size too. The tokenizer may
    be its settings.
    """
    vocabulary = tokenizer.vocabulary
    rows, lines = config.vocab_size, len(vocabulary)
    multiples = *_POWERS, *(m for m in _ROUND if lines >= 100 * m)
    if rows not in [-(-lines // m) * m for m in multiples]:
        raise ValueError(
            "`vocab_size` of the config must be the number of lines of the "
            f"vocabulary. Received: vocab_size={rows}, {lines} lines. "
            f"{vocabulary_hint(rows, lines)}".rstrip()
        )
    pad = vocabulary.roles.get("pad")
    told = getattr(config, "pad_token_id", None)
    if None not in (pad, told) and told != vocabulary.id_of(pad):
        raise ValueError(
            f"`pad_token_id` of the config must be the id of {pad} in the "
            f"vocabulary, {vocabulary.id_of(pad)}. Received: {told}."
        )
