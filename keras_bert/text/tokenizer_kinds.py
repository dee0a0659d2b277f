"""Registry of tokenizer types, and detection of the type of a file."""

import pathlib
import re

from keras_bert.config import read_json_file
from keras_bert.text.bpe.byte_settings import BytePairSettings
from keras_bert.text.bpe.character_settings import BpeSettings
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.tokenizer_files import FAST_TOKENIZER
from keras_bert.text.wordpiece.settings import WordpieceSettings

# Map `kind` to settings classes; each `Family` has a default. BPE comes before
# byte-level BPE, because their files have the same names.
KINDS = {
    settings.kind: settings
    for settings in (
        WordpieceSettings,
        BpeSettings,
        BytePairSettings,
        SentencePieceSettings,
    )
}


def kind_of_file(vocab_file):
    """Return the settings class of a vocabulary file's tokenizer type.

    Args:
        vocab_file: str, a `vocab.txt` of any name, a `vocab.json` next to its
            `merges.txt`, a `spiece.model`, or the `tokenizer.json` of a BPE or
            Unigram model.

    Returns:
        A value of `KINDS`.

    Raises:
        ValueError: the file does not belong to a known tokenizer type.
    """
    path = pathlib.Path(vocab_file)
    name = _kind_of_path(path, KINDS)
    is_read = name not in (None, WordpieceSettings.kind)
    if path.suffix in (".json", ".model") and not is_read:
        names = [settings.files[0] for settings in KINDS.values()]
        names = ", ".join(dict.fromkeys(names))
        raise ValueError(
            f"The vocabulary file must be named {names}, or be the "
            f"{FAST_TOKENIZER} of a BPE or Unigram model: its name determines "
            f"the type of the tokenizer. Received: {vocab_file}."
        )
    return KINDS[name or WordpieceSettings.kind]


def kind_of_directory(directory, default):
    """Return the type of the tokenizer in a directory.

    Args:
        directory: `pathlib.Path`.
        default: str, type to check first. It is returned if the directory has
            no known file.

    Returns:
        str, a key of `KINDS`.

    Raises:
        ValueError: the `tokenizer.json` is not valid JSON.
    """
    for name in (default, *KINDS):
        settings = KINDS[name]
        paths = (
            directory / x for x in (settings.files[0], *settings.other_names)
        )
        if any(
            path.is_file() and _kind_of_path(path, [name]) for path in paths
        ):
            return name
    path = directory / FAST_TOKENIZER
    return path.is_file() and _kind_of_path(path, KINDS) or default


def vocabulary_of_file(vocab_file):
    """Read a vocabulary file of any tokenizer type."""
    return kind_of_file(vocab_file).read_vocabulary(vocab_file)


def settings_from_json(values):
    """Create settings from the dict returned by their `to_json`."""
    # Dicts of WordPiece, the first type, have no key `kind`.
    return KINDS[values.get("kind", WordpieceSettings.kind)].from_json(values)


def _kind_of_path(path, names):
    """Return the first type in `names` that a file belongs to, or None."""
    model_type = None
    if path.name == FAST_TOKENIZER:
        model = read_json_file(path).get("model")
        model_type = model.get("type") if isinstance(model, dict) else None
    for name in names:
        settings = KINDS[name]
        is_named = path.name in (settings.files[0], *settings.other_names)
        if is_named or (model_type and settings.model_type == model_type):
            if not settings.mark:
                return name
            if path.is_file() and re.search(settings.mark, path.read_bytes()):
                return name
    return None
