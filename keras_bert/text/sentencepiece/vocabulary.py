"""The pieces that a SentencePiece tokenizer knows, by their ids."""

import pathlib
import string

from keras_bert import artifacts
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.normalization.normalizers import MODEL
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.sentencepiece.conventions import ALBERT
from keras_bert.text.sentencepiece.conventions import conventions_of_file
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.model import USER_DEFINED
from keras_bert.text.sentencepiece.model import SentencePieceModel

# As google-research/albert lists them, without ' < = and >.
_PUNCTUATION = frozenset('!"#$%&()*+,-./:;?@[\\]^_`{|}~')
_INSIDE_WORDS = _PUNCTUATION | frozenset(string.ascii_letters)


class SentencePieceVocabulary(BaseVocabulary):
    """Pieces and their ids.

    Args:
        model: `SentencePieceModel`.
        source: str, where it comes from, for error messages.
        conventions: `SentencePieceConventions`.

    Attributes:
        piece_ids: list of int, the ids of the model's pieces, in its order.

    Raises:
        ValueError: a special token is missing, a piece stands twice, or,
            where offsets rely on it, a character stands in a piece only.
    """

    def __init__(self, model, source="model", conventions=ALBERT):
        self.model, self.conventions = model, conventions
        self.pair, roles = conventions.pair, conventions.roles
        pieces = [piece.text for piece in model.pieces]
        super().__init__(conventions.tokens(pieces), source, roles)
        self.piece_ids = [self.id_of(piece) for piece in pieces]
        unknown = [p.text for p in model.pieces if p.kind == UNKNOWN]
        if unknown != [self.roles["unknown"]]:
            raise ValueError(
                f"{source} must hold {self.roles['unknown']} as its only "
                f"unknown piece. Received: {', '.join(unknown) or 'none'}."
            )
        if conventions.normalizer != MODEL:
            _check_characters(model.pieces, roles, source)

    def _hint(self):
        control = [p.text for p in self.model.pieces if p.kind == CONTROL]
        return (
            " Is it the model of another family? Its control symbols: "
            f"{', '.join(control[:9]) or 'none'}."
        )

    @classmethod
    def from_file(cls, path):
        """Read a `spiece.model`, `spm.model` or `sentencepiece.bpe.model`.

        The name of the file decides special tokens and ids; for any other
        name, they are ALBERT's.

        Args:
            path: str.

        Raises:
            ValueError: the file is no such model, or of another family.
        """
        model = SentencePieceModel(pathlib.Path(path).read_bytes(), str(path))
        return cls(model, str(path), conventions_of_file(path))

    def save(self, path):
        """Write the file of the model, whole or not at all.

        Args:
            path: str.
        """
        artifacts.write_whole(path, self.to_bytes())

    def to_bytes(self):
        """The file that `save` writes."""
        return self.model.data

    def with_tokens(self, tokens):
        """Raise ValueError: a SentencePiece model takes no further tokens.

        Args:
            tokens: sequence of str.
        """
        raise ValueError(
            "A SentencePiece model takes no further tokens. "
            f"Received: {', '.join(tokens)}."
        )

    @property
    def is_continuation(self):
        """For each piece whether it continues a word, a list of bool.

        As google-research/albert decides for its masks of whole words; by the
        rules of a model only, what is neither marked nor punctuation.
        """
        is_model = self.conventions.normalizer == MODEL
        begins = _is_marked if is_model else _begins_word
        special = {*self.roles.values()}
        return [
            token not in special and not begins(token) for token in self.tokens
        ]

    @property
    def spelled(self):
        """The texts of tokens one behind the other, a list of bytes."""
        return [t.replace(WORD_START, " ").encode() for t in self.tokens]


def _check_characters(pieces, roles, source):
    """The trainer sees to it, and offsets rely on it."""
    found = [
        piece.text
        for piece in pieces
        if piece.kind in (NORMAL, USER_DEFINED)
        and piece.text not in roles.values()
    ]
    missing = {character for text in found for character in text} - {*found}
    if missing:
        raise ValueError(
            f"{source} must hold each character of its pieces as a piece. "
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
