"""Base classes for tokenizer settings."""

import base64
import dataclasses
import hashlib
import pathlib
import tempfile
import typing

from keras_bert import checks
from keras_bert import text
from keras_bert.messages import brief
from keras_bert.messages import errors_name
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.base_vocabulary import special_tokens
from keras_bert.text.casing import resolve_casing
from keras_bert.typing import Path

if typing.TYPE_CHECKING:
    from keras_bert.text.tokenizer import Tokenizer


class FileDefinedTokenizer(checks.Checked):
    """Settings of a tokenizer that is defined by its files.

    It is a base class for frozen dataclasses with the fields `vocabulary` and
    `special_tokens_in_text`, the method `_write(directory)` and the class
    method `_read(directory)`. The settings do not import TensorFlow.

    Attributes:
        kind: str, name of the tokenizer type.
        tokenizer_class: str, the name of its class in `keras_bert.text`.
        files: tuple of str, the files that `write` writes; the vocabulary is
            the first.
        pieces: str, name for the tokens in messages.
        model_type: str, the type of the model in a `tokenizer.json`, or "".
        other_names: tuple of str, other file names of the vocabulary.
        mark: bytes, regular expression that distinguishes these files from
            files of another tokenizer type with the same names; b"" if not
            needed.
        added_tokens: sequence of `AddedToken`; a field if the tokenizer
            supports added tokens.
    """

    vocabulary: BaseVocabulary
    model_type = ""
    other_names = ()
    mark = b""
    added_tokens = ()

    def __post_init__(self):
        super().__post_init__()
        for token in self.added_tokens:
            if token.text not in self.vocabulary:
                raise ValueError(
                    "`added_tokens` must be tokens of the vocabulary. "
                    f"Received: {brief(token.text)}."
                )
        if "added_tokens" in vars(self):
            vars(self)["added_tokens"] = (*self.added_tokens,)

    def make(self) -> "Tokenizer":
        """Create the tokenizer.

        Raises:
            ModuleNotFoundError: a required package is missing.
        """
        return getattr(text, self.tokenizer_class)(**vars(self))

    @property
    def fast_tokens(self):
        """The `AddedToken`s to write to `tokenizer.json`."""
        return special_tokens(self.vocabulary.roles)

    @classmethod
    def read(cls, directory, max_chars_per_word=None, lowercase=None):
        """Read the tokenizer settings from a directory.

        Args:
            directory: str or `pathlib.Path`.
            max_chars_per_word: int, default limit for WordPiece. Other
                tokenizers ignore it.
            lowercase: bool, the expected casing, or None.

        Raises:
            ValueError: a file is missing or invalid, or the casing differs or
                is unknown.
        """
        cls._refuse(directory, {"lowercase=": lowercase})
        with errors_name(directory):
            return cls._read(pathlib.Path(directory))

    def write(self, directory: Path) -> None:
        """Write the files in the format of transformers.

        Args:
            directory: an existing directory.
        """
        self._write(pathlib.Path(directory))

    @classmethod
    def read_vocabulary(cls, vocab_file):
        """Read a vocabulary file and the files next to it."""
        return cls.read(pathlib.Path(vocab_file).parent).vocabulary

    @classmethod
    def casing(cls, vocab_file, casing_hints, default=None):
        """Return whether to lower-case texts, or None if unsupported.

        Args:
            vocab_file: str; the files next to it are read too.
            casing_hints, default: see `agreed_casing`.
        """
        cls._refuse(vocab_file, casing_hints)

    @classmethod
    def for_corpus(cls, vocab_file, lowercase):
        """Read settings for a corpus, where special tokens are plain text."""
        directory = pathlib.Path(vocab_file).parent
        settings = cls.read(directory, lowercase=lowercase)
        return dataclasses.replace(settings, special_tokens_in_text=False)

    def lowercased(self):
        """Return a lower-casing copy, or raise ValueError if unsupported."""
        self._refuse("the embedder", {"do_lower_case": True})

    def facts(self):
        """Return a dict of the settings to store in a manifest."""
        return {"tokenizer": identifying_settings(self)}

    def described(self):
        """Return a description (str) for a model card."""
        values = {"kind": self.kind, **_values(self)}
        return ", ".join(
            f"`{k}`: {value}" for k, value in values.items() if _short(value)
        )

    def to_json(self):
        """Serialize the settings to a JSON dict with base64-encoded files."""
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            self.write(directory)
            files = {
                path.name: base64.b64encode(path.read_bytes()).decode()
                for path in sorted(directory.iterdir())
            }
        return {"kind": self.kind, "files": files}

    @classmethod
    def from_json(cls, values):
        """Create the settings from the dict returned by `to_json`."""
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            for name, data in values["files"].items():
                # Use the name only: a path could point to other directories.
                path = directory / pathlib.Path(name).name
                path.write_bytes(base64.b64decode(data))
            return cls.read(directory)

    @classmethod
    def _refuse(cls, source, casing_hints):
        for name, value in casing_hints.items():
            if value is not None:
                raise ValueError(
                    f"A tokenizer of {cls.pieces} cannot lower-case texts. "
                    "Received: "
                    f"{str(name).rstrip('=')}={value} for {source}."
                )


class CasedTokenizer(FileDefinedTokenizer):
    """Settings of a tokenizer that may lower-case texts.

    The dataclass has the field `lowercase`. Its `_read` takes the directory,
    `max_chars_per_word` and `lowercase` (bool or None).
    """

    @classmethod
    def read(cls, directory, max_chars_per_word=200, lowercase=None):
        """Read the settings from a directory, see `FileDefinedTokenizer`."""
        with errors_name(directory):
            return cls._read(
                pathlib.Path(directory), max_chars_per_word, lowercase
            )

    @classmethod
    def casing(cls, vocab_file, casing_hints, default=None):
        """Return whether to lower-case texts, see `FileDefinedTokenizer`."""
        directory = pathlib.Path(vocab_file).parent
        return cls.read(
            directory, lowercase=resolve_casing(casing_hints)
        ).lowercase

    def lowercased(self):
        """Return a copy of the settings with lower-casing."""
        return dataclasses.replace(self, lowercase=True)


def identifying_settings(settings):
    """Return the settings that distinguish tokenizers with the same vocabulary.

    Args:
        settings: the settings of a tokenizer of any type.

    Returns:
        A JSON-serializable dict with its type and its settings. Long settings,
        such as the merges of byte-level BPE, are replaced by their SHA-256.
    """
    values = _values(settings).items()
    values = {k: x if _short(x) else _sha256(x) for k, x in values}
    return {"kind": settings.kind, **values}


def _values(settings):
    """Return a dict of the settings, except vocabulary and empty tuples."""
    names = [field.name for field in dataclasses.fields(settings)]
    values = {n: getattr(settings, n) for n in names if n != "vocabulary"}
    return {name: value for name, value in values.items() if value != ()}


def _short(value):
    return value is None or isinstance(value, bool | int | float | str)


def _sha256(value):
    data = value if isinstance(value, bytes) else repr(value).encode()
    return hashlib.sha256(data).hexdigest()
