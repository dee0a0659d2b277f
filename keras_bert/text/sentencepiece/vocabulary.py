"""The pieces that an ALBERT knows, those of its SentencePiece model."""

import pathlib
import string

from keras_bert import artifacts
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.model import USER_DEFINED
from keras_bert.text.sentencepiece.model import SentencePieceModel

ROLES = {
    "pad": "<pad>",
    "unknown": "<unk>",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "mask": "[MASK]",
}
# As google-research/albert lists them, without ' < = and >.
_PUNCTUATION = frozenset('!"#$%&()*+,-./:;?@[\\]^_`{|}~')
_INSIDE_WORDS = _PUNCTUATION | frozenset(string.ascii_letters)


class SentencePieceVocabulary(BaseVocabulary):
    """Pieces and their ids.

    Args:
        model: `SentencePieceModel`.
        source: str, where it comes from, for error messages.

    Raises:
        ValueError: a special token of ALBERT is missing, a piece stands
            twice, or a character stands in a piece only.
    """

    roles = ROLES

    def __init__(self, model, source="model"):
        self.model = model
        super().__init__((piece.text for piece in model.pieces), source)
        unknown = [p.text for p in model.pieces if p.kind == UNKNOWN]
        if unknown != [ROLES["unknown"]]:
            raise ValueError(
                f"{source} must hold {ROLES['unknown']} as its only unknown "
                f"piece. Received: {', '.join(unknown) or 'none'}."
            )
        _check_characters(model.pieces, source)

    def _hint(self):
        control = [p.text for p in self.model.pieces if p.kind == CONTROL]
        return (
            " Is it the model of another family? Its control symbols: "
            f"{', '.join(control[:9]) or 'none'}."
        )

    @classmethod
    def from_file(cls, path):
        """Reads a `spiece.model`.

        Raises:
            ValueError: the file is no such model, or of another family.
        """
        data = pathlib.Path(path).read_bytes()
        return cls(SentencePieceModel(data, str(path)), str(path))

    def save(self, path):
        """Writes a `spiece.model`, whole or not at all."""
        artifacts.write_whole(path, self.to_bytes())

    def to_bytes(self):
        """The file that `save` writes."""
        return self.model.data

    @property
    def is_continuation(self):
        """For each piece whether it continues a word, a list of bool.

        As google-research/albert decides for its masks of whole words.
        """
        return [
            token not in ROLES.values() and not _begins_word(token)
            for token in self.tokens
        ]


def _check_characters(pieces, source):
    """The trainer sees to it, and offsets rely on it."""
    found = [
        piece.text
        for piece in pieces
        if piece.kind in (NORMAL, USER_DEFINED)
        and piece.text not in ROLES.values()
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
