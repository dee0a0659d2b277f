"""Tokenizers in checkpoints, and checks against the config."""

from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_directory


def read_tokenizer(default, directory, max_chars_per_word, lowercase=None):
    """Read the tokenizer settings in a checkpoint directory.

    Args:
        default: str, the `tokenizer` of the `Family`; its files have priority.
        directory: `pathlib.Path`, the checkpoint directory.
        max_chars_per_word: int, default of the format for tokenizers with
            this setting.
        lowercase: bool, whether to lower-case texts; None to use the files.

    Raises:
        ValueError: a file is missing or cannot be used, or the casing is
            unknown or contradictory.
    """
    settings_class = KINDS[kind_of_directory(directory, default)]
    return settings_class.read(directory, max_chars_per_word, lowercase)


def check_tokenizer(config, tokenizer):
    """Raise ValueError if a tokenizer does not match a config.

    The embedding table may have more rows than tokens, but not fewer.
    The padding id must equal `config.pad_token_id`, if it is set.

    Args:
        config: a config of any family.
        tokenizer: `Tokenizer`, or its settings.
    """
    vocabulary = tokenizer.vocabulary
    rows, lines = config.vocab_size, len(vocabulary)
    if rows < lines:
        raise ValueError(
            "`vocab_size` in the config must not be smaller than the "
            f"vocabulary. Received: vocab_size={rows}, {lines} tokens. Use "
            "the vocabulary that belongs to the weights."
        )
    pad = vocabulary.roles.get("pad")
    pad_id = getattr(config, "pad_token_id", None)
    if None not in (pad, pad_id) and pad_id != vocabulary.id_of(pad):
        raise ValueError(
            f"`pad_token_id` in the config must be the id of {pad} in the "
            f"vocabulary, {vocabulary.id_of(pad)}. Received: {pad_id}."
        )
