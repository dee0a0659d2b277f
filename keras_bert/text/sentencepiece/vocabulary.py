"""Vocabulary of a SentencePiece model."""

import collections.abc
import pathlib
import string
import typing

from keras_bert.files.atomic import write_whole
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.conventions import MODEL
from keras_bert.text.conventions import Conventions
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.sentencepiece.conventions import DEFAULT
from keras_bert.text.sentencepiece.conventions import conventions_of_file
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.model import USER_DEFINED
from keras_bert.text.sentencepiece.model import SentencePieceModel
from keras_bert.typing import Path

# The list of google-research/albert, without ' < = and >.
_PUNCTUATION = frozenset('!"#$%&()*+,-./:;?@[\\]^_`{|}~')
_INSIDE_WORDS = _PUNCTUATION | frozenset(string.ascii_letters)


class SentencePieceVocabulary(BaseVocabulary):
    """Vocabulary of a SentencePiece model.

    Args:
        model: the model.
        source: file name to show in error messages.
        conventions: special tokens and ids of the family.

    Attributes:
        piece_ids: list of int, the ids of the model's pieces, in its order.
        other_special: list of str, the special tokens without a role, such as
            `<s>` of an XLNet; either none or all of its conventions.

    Raises:
        ValueError: a special token is missing, a piece occurs twice, or a
            character of a piece is not itself a piece (ALBERT only).
    """

    def __init__(
        self,
        model: SentencePieceModel,
        source: str = "model",
        conventions: Conventions = DEFAULT,
    ) -> None:
        self.model, self.conventions = model, conventions
        self.pair, roles = conventions.pair, conventions.roles
        pieces = [piece.text for piece in model.pieces]
        super().__init__(conventions.tokens(pieces), source, roles)
        self.piece_ids = [self.id_of(piece) for piece in pieces]
        has_special = {*conventions.special} <= {*self.tokens}
        self.other_special = [*conventions.special] if has_special else []
        unknown = [p.text for p in model.pieces if p.type == UNKNOWN]
        if unknown != [self.roles["unknown"]]:
            raise ValueError(
                f"{source} must have {self.roles['unknown']} as its only "
                f"unknown piece. Received: {', '.join(unknown) or 'none'}."
            )
        if conventions.normalizer != MODEL:
            special = {*roles.values(), *conventions.own_pieces}
            _check_characters(model.pieces, special, source)

    def _hint(self):
        control = [p.text for p in self.model.pieces if p.type == CONTROL]
        return (
            " Does the model belong to another family? Its control symbols: "
            f"{', '.join(control[:9]) or 'none'}."
        )

    @classmethod
    def from_file(
        cls, path: Path, tokenizer_class: str = ""
    ) -> "SentencePieceVocabulary":
        """Read a `spiece.model`, `spm.model` or `sentencepiece.bpe.model`.

        The name of the file determines the special tokens and ids. Unknown
        names use ALBERT's conventions. A `spiece.model` uses them too, unless
        it contains the pieces of BigBird or XLNet.

        Args:
            path: path of the model file.
            tokenizer_class: name of the tokenizer in transformers, such as
                "BigBirdTokenizer" for other BigBird models.

        Raises:
            ValueError: the file is not a SentencePiece model, or it belongs to
                a different family.
        """
        model = SentencePieceModel(pathlib.Path(path).read_bytes(), str(path))
        tokens = {piece.text for piece in model.pieces}
        conventions = conventions_of_file(path, tokens, tokenizer_class)
        return cls(model, str(path), conventions)

    def save(self, path: Path) -> None:
        """Write the model file atomically.

        Args:
            path: path of the model file.
        """
        write_whole(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the bytes of the model file."""
        return self.model.data

    def with_tokens(
        self, tokens: collections.abc.Iterable[str]
    ) -> typing.NoReturn:
        """Raise ValueError, because SentencePiece models are fixed.

        Args:
            tokens: new tokens.
        """
        raise ValueError(
            "Tokens cannot be added to a SentencePiece model. "
            f"Received: {', '.join(tokens)}."
        )

    def _join(self, tokens):
        """Return the normalized text; special tokens are separate words."""
        special = {*self.roles.values()}
        text = "".join(f" {t} " if t in special else t for t in tokens)
        return " ".join(text.replace(WORD_START, " ").split())

    @property
    def is_continuation(self) -> list[bool]:
        """True for each piece that continues a word.

        ALBERT follows the whole-word masking of google-research/albert. In
        other families, pieces that do not begin with "▁" and are not
        punctuation continue a word.
        """
        is_model = self.conventions.normalizer == MODEL
        begins = _is_marked if is_model else _begins_word
        special = {*self.roles.values()}
        return [
            token not in special and not begins(token) for token in self.tokens
        ]

    @property
    def spelled(self) -> list[bytes]:
        """UTF-8 text of each token, to be joined when decoding."""
        return [t.replace(WORD_START, " ").encode() for t in self.tokens]


def _check_characters(pieces, special, source):
    """Raise ValueError if a character of a piece is not itself a piece.

    The trainer ensures this, and `PieceSpans` requires it.
    """
    texts = [
        piece.text
        for piece in pieces
        if piece.type in (NORMAL, USER_DEFINED) and piece.text not in special
    ]
    missing = {character for text in texts for character in text} - {*texts}
    if missing:
        raise ValueError(
            f"{source} must have a piece for each character of its pieces. "
            f"Missing: {', '.join(map(repr, sorted(missing)[:5]))}."
        )


def _begins_word(piece):
    return (
        piece.startswith((WORD_START, "<"))
        or piece in _PUNCTUATION
        or not _INSIDE_WORDS.issuperset(piece)
    )


def _is_marked(piece):
    return piece.startswith(WORD_START) or piece in _PUNCTUATION
