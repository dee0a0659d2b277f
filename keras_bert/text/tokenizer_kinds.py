"""The kinds of tokenizers; all that depends on the kind is looked up here."""

import pathlib
import re
import typing

from keras_bert.config import read_json_file
from keras_bert.text.bpe.settings import BpeSettings
from keras_bert.text.byte_pair.settings import BytePairSettings
from keras_bert.text.fast_tokenizer import FAST_TOKENIZER
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
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
    """Finds the kind of the tokenizer that a file belongs to.

    Args:
        vocab_file: str, a `vocab.txt` of whatever name; or a `vocab.json`
            beside its `merges.txt`, a `spiece.model` or the `tokenizer.json`
            of one of these.

    Returns:
        A value of `KINDS`.

    Raises:
        ValueError: no kind has such a file.
    """
    path = pathlib.Path(vocab_file)
    if path.name == FAST_TOKENIZER:
        return _kind_of_json(path)
    for kind in KINDS.values():
        if _is_of(kind, path):
            return kind
    if path.suffix in (".json", ".model"):
        names = ", ".join(kind.files[0] for kind in KINDS.values())
        raise ValueError(
            "The kind of a tokenizer is known by the name of its file, which "
            f"must be {names} or {FAST_TOKENIZER}. Received: {vocab_file}."
        )
    return WordpieceSettings


def kind_of_directory(directory, default):
    """Finds the kind of the tokenizer that a directory holds.

    Args:
        directory: `pathlib.Path`.
        default: str, the kind that is looked for first, and that it is where
            no file tells.

    Returns:
        str, a key of `KINDS`.

    Raises:
        ValueError: the `tokenizer.json` is no JSON file.
    """
    for name in (default, *KINDS):
        kind = KINDS[name]
        paths = (directory / x for x in (kind.files[0], *kind.other_names))
        if any(path.is_file() and _is_of(kind, path) for path in paths):
            return name
    path = directory / FAST_TOKENIZER
    name = _name_of_json(path)[0] if path.is_file() else None
    return name or default


def vocabulary_of_file(vocab_file):
    """Reads the vocabulary of a file, see `kind_of_file`."""
    return kind_of_file(vocab_file).read_vocabulary(vocab_file)


def pack_settings(settings):
    """All settings of a tokenizer, as a dict for JSON."""
    return settings.packed()


def unpack_settings(values):
    """The settings that `pack_settings` was given."""
    # Word pieces came first, and say no kind.
    return KINDS[values.get("kind", WordpieceSettings.kind)].unpacked(values)


def _is_of(kind, path):
    names = kind.files[0], *kind.other_names
    return path.name in names and _is_marked(kind, path)


def _is_marked(kind, path):
    if not kind.mark:
        return True
    return path.is_file() and bool(re.search(kind.mark, path.read_bytes()))


def _name_of_json(path):
    """The kind of a `tokenizer.json`, or None, and its model's type."""
    model = read_json_file(path).get("model")
    told = model.get("type") if isinstance(model, dict) else None
    names = (
        name
        for name, kind in KINDS.items()
        if kind.model_type == told and _is_marked(kind, path)
    )
    return (next(names, None) if told else None), told


def _kind_of_json(path):
    name, told = _name_of_json(path)
    if name is None:
        raise ValueError(
            f"{path} must be of a BPE or a Unigram model; of a WordPiece "
            "model, pass the vocab.txt. Received: a model of the type "
            f"{told!r}."
        )
    return KINDS[name]


class Tokenizer(typing.Protocol):
    """Texts to ids and back, in the graph where not said otherwise.

    Attributes:
        kind: str, a key of `KINDS`.
        vocabulary: `Vocabulary`, or what has its length, `in`, `tokens`,
            `id_of`, `unk_id`, `is_continuation`, `roles`, `spelled` and
            `sha256`.
        settings: a frozen dataclass that needs no TensorFlow, with `kind`,
            `vocabulary`, `special_tokens_in_text`, `tokenizer()`, which makes
            the same tokenizer, and `save(directory)`, which writes its files.
    """

    kind: str
    vocabulary: typing.Any
    settings: typing.Any

    def __call__(self, texts):
        """Cuts texts, string `(batch_size,)`, into ids.

        Returns:
            A RaggedTensor, int32 `(batch_size, (num_tokens))`.
        """

    def tokenize_with_offsets(self, texts) -> tuple:
        """Like a call, and where each token stands in the text.

        Returns:
            Three RaggedTensors `(batch_size, (num_tokens))`: ids, int32, and
            starts and ends, int64, offsets in bytes of the text as given. No
            span begins with a space that stands before its word. Only that of
            a token of white space may be empty.
        """

    def with_special_tokens(self) -> "Tokenizer":
        """One that takes special tokens written in a text for themselves."""

    def detokenize(self, ids) -> str:
        """The text of a list of ids, in Python, as far as they tell it."""
