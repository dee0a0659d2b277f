"""The pieces that an ALBERT knows, those of its SentencePiece model."""

import hashlib
import pathlib
import string

from keras_bert.files import whole_file
from keras_bert.text.albert_normalizer import WORD_START
from keras_bert.text.sentencepiece_model import CONTROL
from keras_bert.text.sentencepiece_model import NORMAL
from keras_bert.text.sentencepiece_model import UNKNOWN
from keras_bert.text.sentencepiece_model import USER_DEFINED
from keras_bert.text.sentencepiece_model import SentencePieceModel

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


class SentencePieceVocabulary:
    """Pieces and their ids.

    Args:
        model: `SentencePieceModel`.
        source: str, where it comes from, for error messages.

    Raises:
        ValueError: a special token of ALBERT is missing, or a character that
            stands in a piece only.
    """

    roles = ROLES

    def __init__(self, model, source="model"):
        self.tokens = tuple(piece.text for piece in model.pieces)
        self._ids = {token: index for index, token in enumerate(self.tokens)}
        missing = [t for t in ROLES.values() if t not in self._ids]
        if missing:
            control = [p.text for p in model.pieces if p.kind == CONTROL]
            raise ValueError(
                f"{source} must hold the special tokens of ALBERT. Missing: "
                f"{', '.join(missing)}. Is it the model of another family? "
                f"Its control symbols: {', '.join(control[:9]) or 'none'}."
            )
        unknown = [p.text for p in model.pieces if p.kind == UNKNOWN]
        if unknown != [ROLES["unknown"]]:
            raise ValueError(
                f"{source} must hold {ROLES['unknown']} as its only unknown "
                f"piece. Received: {', '.join(unknown) or 'none'}."
            )
        _check_characters(model.pieces, source)
        self.model = model

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
        with whole_file(path) as temporary:
            pathlib.Path(temporary).write_bytes(self.model.data)

    @property
    def sha256(self):
        """The SHA-256, in hexadecimal, of the file that `save` writes."""
        return hashlib.sha256(self.model.data).hexdigest()

    def __len__(self):
        return len(self.tokens)

    def __contains__(self, token):
        return token in self._ids

    def id_of(self, token):
        """The id of a piece; KeyError if there is none."""
        return self._ids[token]

    @property
    def unk_id(self):
        """The id of <unk>."""
        return self._ids[ROLES["unknown"]]

    @property
    def is_continuation(self):
        """For each piece whether it continues a word, a list of bool.

        As google-research/albert decides for its masks of whole words.
        """
        return [
            token not in ROLES.values() and not _begins_word(token)
            for token in self.tokens
        ]

    @property
    def is_lowercase(self):
        """Whether no piece but the special ones has an upper-case letter."""
        return all(
            token == token.lower()
            for token in self.tokens
            if token not in ROLES.values()
        )


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
