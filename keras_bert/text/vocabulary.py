"""The word pieces that a model knows, one a line."""

import hashlib
import pathlib

from keras_bert.files import whole_file

PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_TOKENS = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
)
ROLES = dict(
    zip(("pad", "unknown", "cls", "sep", "mask"), SPECIAL_TOKENS, strict=True)
)


class Vocabulary:
    """Word pieces and their ids.

    Args:
        tokens: the word pieces, as strings in the order of their ids. Pieces
            that continue a word begin with "##".
        source: str, where they come from, for error messages.

    Attributes:
        roles: dict from "pad", "unknown", "cls", "sep" and "mask" to the
            special tokens that play these roles.

    Raises:
        ValueError: a special token is missing or a piece stands twice.
    """

    roles = ROLES

    def __init__(self, tokens, source="vocabulary"):
        self.tokens = tuple(tokens)
        self._ids = {token: index for index, token in enumerate(self.tokens)}
        if len(self._ids) != len(self.tokens):
            raise ValueError(_first_duplicate(self.tokens, source))
        missing = [t for t in SPECIAL_TOKENS if t not in self._ids]
        if missing:
            raise ValueError(
                f"{source} must hold the special tokens, one a line "
                f"(their case matters). Missing: {', '.join(missing)}."
            )
        if self._ids[PAD] != 0:
            raise ValueError(
                f"{source} must begin with {PAD}, for padding has id 0. "
                f"Received: {PAD} in line {self._ids[PAD] + 1}."
            )

    @classmethod
    def from_file(cls, path):
        """Reads a `vocab.txt`.

        Lines end at "\\n" alone: the published Chinese vocabulary holds the
        line separator U+2028 as a word piece.

        Raises:
            ValueError: the file is empty, no UTF-8 or no vocabulary.
        """
        data = pathlib.Path(path).read_bytes()
        try:
            text = data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{path} must be UTF-8 text. Received: byte "
                f"0x{data[error.start]:02x} at offset {error.start}."
            ) from None
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        return cls((line.strip(" \t\r") for line in lines), source=str(path))

    def save(self, path):
        """Writes a `vocab.txt`, whole or not at all."""
        with whole_file(path) as temporary:
            pathlib.Path(temporary).write_bytes(self._to_bytes())

    def _to_bytes(self):
        return "".join(f"{token}\n" for token in self.tokens).encode("utf-8")

    @property
    def sha256(self):
        """The SHA-256, in hexadecimal, of the file that `save` writes.

        Two vocabularies have the same one if they have the same word pieces
        in the same order, however their files end their lines.
        """
        return hashlib.sha256(self._to_bytes()).hexdigest()

    def __len__(self):
        return len(self.tokens)

    def __contains__(self, token):
        return token in self._ids

    def id_of(self, token):
        """The id of a word piece; KeyError if there is none."""
        return self._ids[token]

    @property
    def unk_id(self):
        """The id of [UNK]."""
        return self._ids[UNKNOWN]

    @property
    def is_continuation(self):
        """For each piece whether it continues a word, a list of bool."""
        return [t.startswith("##") and len(t) > 2 for t in self.tokens]

    @property
    def is_lowercase(self):
        """Whether no piece but the special ones has an upper-case letter."""
        return all(
            token == token.lower()
            for token in self.tokens
            if not (token.startswith("[") and token.endswith("]"))
        )


def _first_duplicate(tokens, source):
    first_line = {}
    for line, token in enumerate(tokens, start=1):
        if token in first_line:
            return (
                f"{source} must not hold a word piece twice. Received: "
                f"{token!r} in lines {first_line[token]} and {line}."
            )
        first_line[token] = line
    raise KeyError("no duplicate")
