"""Kinds of tokenizers whose files tell all of their settings."""

import base64
import dataclasses
import hashlib
import importlib
import pathlib
import tempfile


@dataclasses.dataclass(frozen=True)
class SelfToldKind:
    """A kind of tokenizer whose files tell all, so that no flag does.

    Args:
        reader: str, "module:function", what reads settings from the
            `pathlib.Path` of a directory.
        files: tuple of str, what its settings save, the vocabulary first.
        model_type: str, its name in a `tokenizer.json`.
        pieces: str, what its tokens are called.
    """

    reader: str
    files: tuple
    model_type: str
    pieces: str

    def read(self, directory, max_chars_per_word=None, lowercase=None):
        """The settings that a directory holds.

        Args:
            directory: `pathlib.Path`.
            max_chars_per_word: not looked at: it is of word pieces.
            lowercase: must be None, likewise.

        Raises:
            ValueError: a file is missing or cannot be used, or the caller
                tells a casing.
        """
        self._refuse(directory, {"lowercase=": lowercase})
        module, function = self.reader.split(":")
        return getattr(importlib.import_module(module), function)(directory)

    def vocabulary(self, vocab_file):
        """The vocabulary of the directory that a file is in."""
        return self.read(pathlib.Path(vocab_file).parent).vocabulary

    def casing(self, vocab_file, claims, default=None):
        """None, or ValueError where a claim tells of a casing."""
        self._refuse(vocab_file, claims)

    def settings(self, vocab_file, lowercase):
        """The settings of the directory that a file is in."""
        return self.read(pathlib.Path(vocab_file).parent, lowercase=lowercase)

    def lowercased(self, settings):
        """The settings, if they lower-case texts; ValueError otherwise."""
        if not getattr(settings, "lowercase", False):
            raise ValueError(
                f"Texts of {self.pieces} are lower-cased only where the "
                "tokenizer's own files say so. Received: do_lower_case=True."
            )
        return settings

    def facts(self, settings):
        """What a manifest tells besides the vocabulary, a dict for JSON."""
        return {"tokenizer": told_settings(settings)}

    def described(self, settings):
        """What a model card tells besides the number of the pieces."""
        told = told_settings(settings).items()
        return ", ".join(f"`{name}` {value}" for name, value in told)

    def packed(self, settings):
        """All of the settings, a dict for JSON: the files as base64."""
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            settings.save(directory)
            files = {
                path.name: base64.b64encode(path.read_bytes()).decode()
                for path in sorted(directory.iterdir())
            }
        return {"kind": settings.kind, "files": files}

    def unpacked(self, values):
        """The settings that `packed` was given."""
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            for name, data in values["files"].items():
                # A name, never a path to elsewhere.
                path = directory / pathlib.Path(name).name
                path.write_bytes(base64.b64decode(data))
            return self.read(directory)

    def _refuse(self, source, claims):
        told = {str(k): v for k, v in claims.items() if v is not None}
        if told:
            name, value = next(iter(told.items()))
            raise ValueError(
                "Whether texts are lower-cased is told of word pieces only; "
                f"the files of {self.pieces} tell it themselves. Received: "
                f"{name.rstrip('=')}={value} for {source}."
            )


def told_settings(settings):
    """What makes two tokenizers of one vocabulary different.

    Args:
        settings: the settings of a tokenizer of any kind.

    Returns:
        A dict for JSON: its kind and its settings; of what is long, such as
        the merges of byte-level BPE, the SHA-256.
    """
    told = {
        field.name: _brief(getattr(settings, field.name))
        for field in dataclasses.fields(settings)
        if field.name != "vocabulary"
    }
    return {"kind": settings.kind, **told}


def _brief(value):
    if value is None or isinstance(value, bool | int | float | str):
        return value
    data = value if isinstance(value, bytes) else repr(value).encode()
    return hashlib.sha256(data).hexdigest()
