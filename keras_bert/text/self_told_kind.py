"""Kinds of tokenizers whose files say all, except perhaps the casing."""

import base64
import dataclasses
import hashlib
import importlib
import pathlib
import tempfile

from keras_bert.text.casing import told_casing


@dataclasses.dataclass(frozen=True)
class SelfToldKind:
    """A kind of tokenizer that its files tell all of.

    Args:
        reader: str, "module:function", what reads settings from the
            `pathlib.Path` of a directory.
        files: tuple of str, what its settings save, the vocabulary first.
        pieces: str, what its tokens are called.
        model_type: str, its name in a `tokenizer.json` that is read, or "".
        other_names: tuple of str, names that its vocabulary also has.
        mark: bytes, a regular expression that is found in these files, where
            another kind has such files too; b"" without one.
    """

    reader: str
    files: tuple
    pieces: str
    model_type: str = ""
    other_names: tuple = ()
    mark: bytes = b""

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
        return _named(self.reader)(directory)

    def vocabulary(self, vocab_file):
        """The vocabulary of the directory that a file is in."""
        return self.read(pathlib.Path(vocab_file).parent).vocabulary

    def casing(self, vocab_file, claims, default=None):
        """None, or ValueError where a claim tells of a casing."""
        self._refuse(vocab_file, claims)

    def settings(self, vocab_file, lowercase):
        """The settings of the directory that a file is in, for a corpus.

        What is written in a corpus is plain text.
        """
        directory = pathlib.Path(vocab_file).parent
        return dataclasses.replace(
            self.read(directory, lowercase=lowercase),
            special_tokens_in_text=False,
        )

    def lowercased(self, settings):
        """ValueError: it never lower-cases texts."""
        self._refuse("the embedder", {"do_lower_case": True})

    def facts(self, settings):
        """Facts for a manifest besides the vocabulary, a dict for JSON."""
        return {"tokenizer": told_settings(settings)}

    def described(self, settings):
        """Words for a model card besides the number of the pieces."""
        values = _values(settings).items()
        told = {"kind": settings.kind, **{k: v for k, v in values if _short(v)}}
        return ", ".join(f"`{name}`: {value}" for name, value in told.items())

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
                f"Texts of {self.pieces} are cut as they are written: no "
                "flag tells whether they are lower-cased. Received: "
                f"{name.rstrip('=')}={value} for {source}."
            )


@dataclasses.dataclass(frozen=True)
class CasedKind(SelfToldKind):
    """A kind of tokenizer that may lower-case texts.

    Where its files do not tell, a caller may. Its reader takes `lowercase`,
    bool or None, behind the directory, and its settings have it.
    Args: those of `SelfToldKind`.
    """

    def read(self, directory, max_chars_per_word=None, lowercase=None):
        """As `SelfToldKind.read`; the caller may say the casing.

        Raises:
            ValueError: a file is missing or cannot be used, nothing tells
                the casing, or two tell it otherwise.
        """
        return _named(self.reader)(directory, lowercase)

    def casing(self, vocab_file, claims, default=None):
        """Tell if texts are lower-cased, as `WordpieceKind.casing` does."""
        directory = pathlib.Path(vocab_file).parent
        return self.read(directory, lowercase=told_casing(claims)).lowercase

    def lowercased(self, settings):
        """The same settings, but that texts are lower-cased."""
        return dataclasses.replace(settings, lowercase=True)


def _named(name):
    """The object of a "module:attribute", imported when it is needed."""
    module, attribute = name.split(":")
    return getattr(importlib.import_module(module), attribute)


def told_settings(settings):
    """List the settings that tell tokenizers of one vocabulary apart.

    Args:
        settings: the settings of a tokenizer of any kind.

    Returns:
        A dict for JSON: its kind and its settings; of what is long, such as
        the merges of byte-level BPE, the SHA-256.
    """
    told = {
        name: value if _short(value) else _sha256(value)
        for name, value in _values(settings).items()
    }
    return {"kind": settings.kind, **told}


def _values(settings):
    """The settings by their names, without the vocabulary and empty tuples."""
    names = [field.name for field in dataclasses.fields(settings)]
    values = {n: getattr(settings, n) for n in names if n != "vocabulary"}
    return {name: value for name, value in values.items() if value != ()}


def _short(value):
    return value is None or isinstance(value, bool | int | float | str)


def _sha256(value):
    data = value if isinstance(value, bytes) else repr(value).encode()
    return hashlib.sha256(data).hexdigest()
