"""The kinds of tokenizers; all that depends on the kind is looked up here."""

import pathlib
import re

from keras_bert.config import read_json_file
from keras_bert.text.bpe.settings import BpeSettings
from keras_bert.text.byte_pair.settings import BytePairSettings
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.tokenizer_files import FAST_TOKENIZER
from keras_bert.text.wordpiece.settings import WordpieceSettings

# By the `kind` of a tokenizer; a `Family` names its default. BPE comes before
# byte-level BPE, whose files have the same names.
KINDS = {
    settings.kind: settings
    for settings in (
        *(WordpieceSettings, BpeSettings),
        *(BytePairSettings, SentencePieceSettings),
    )
}


def kind_of_file(vocab_file):
    """Return the kind of the tokenizer that a file belongs to.

    Args:
        vocab_file: str, a `vocab.txt` of any name; or a `vocab.json` next to
            its `merges.txt`, a `spiece.model` or the `tokenizer.json` of one
            of these.

    Returns:
        A value of `KINDS`.

    Raises:
        ValueError: no kind has such a file.
    """
    path = pathlib.Path(vocab_file)
    name = _kind_of_path(path, KINDS)
    if name is None and path.suffix in (".json", ".model"):
        names = ", ".join(kind.files[0] for kind in KINDS.values())
        raise ValueError(
            "The kind of a tokenizer is known by the name of its file, which "
            f"must be {names}, or the {FAST_TOKENIZER} of a BPE or a Unigram "
            f"model. Received: {vocab_file}."
        )
    return KINDS[name or WordpieceSettings.kind]


def kind_of_directory(directory, default):
    """Return the kind of the tokenizer in a directory.

    Args:
        directory: `pathlib.Path`.
        default: str, the kind that is looked for first, and the answer if no
            file is known.

    Returns:
        str, a key of `KINDS`.

    Raises:
        ValueError: the `tokenizer.json` is not a JSON file.
    """
    for name in (default, *KINDS):
        kind = KINDS[name]
        paths = (directory / x for x in (kind.files[0], *kind.other_names))
        if any(
            path.is_file() and _kind_of_path(path, [name]) for path in paths
        ):
            return name
    path = directory / FAST_TOKENIZER
    return path.is_file() and _kind_of_path(path, KINDS) or default


def vocabulary_of_file(vocab_file):
    """Read the vocabulary of a file, see `kind_of_file`."""
    return kind_of_file(vocab_file).read_vocabulary(vocab_file)


def unpack_settings(values):
    """Return the settings whose `packed()` is given."""
    # Word pieces came first and have no kind.
    return KINDS[values.get("kind", WordpieceSettings.kind)].unpacked(values)


def _kind_of_path(path, names):
    """Return the first of some kinds that a file belongs to, or None."""
    model_type = None
    if path.name == FAST_TOKENIZER:
        model = read_json_file(path).get("model")
        model_type = model.get("type") if isinstance(model, dict) else None
    for name in names:
        kind = KINDS[name]
        is_named = path.name in (kind.files[0], *kind.other_names)
        if is_named or (model_type and kind.model_type == model_type):
            if not kind.mark:
                return name
            if path.is_file() and re.search(kind.mark, path.read_bytes()):
                return name
    return None
