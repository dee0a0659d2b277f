"""WordPiece vocabulary in a `vocab.txt` with one piece per line."""

import collections.abc

from absl import logging

from keras_bert.files.atomic import write_whole
from keras_bert.messages import brief
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.base_vocabulary import read_lines
from keras_bert.text.conventions import conventions_of
from keras_bert.typing import Path

ROLES = {
    "pad": "[PAD]",
    "unknown": "[UNK]",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "mask": "[MASK]",
}
_MAX_BYTES = 256  # Limit of the op.
PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_TOKENS = tuple(ROLES.values())


class Vocabulary(BaseVocabulary):
    """WordPiece vocabulary.

    Args:
        tokens: pieces in the order of their ids. Pieces that continue a word
            begin with "##". If the first piece is the "cls" token of a family,
            such as "<s>" of MPNet, the family's special tokens are used. A
            piece that occurs more than once has the last of its ids, as in
            transformers; a warning lists such pieces.
        source: file name to show in error messages.

    Raises:
        ValueError: a special token is missing, or a piece is too long.
    """

    allows_duplicates = True

    def __init__(
        self,
        tokens: collections.abc.Iterable[str],
        source: str = "vocabulary",
    ) -> None:
        tokens = (*tokens,)
        known = {x.roles["cls"]: x.roles for x in conventions_of("wordpiece")}
        roles = known.get(next(iter(tokens), None), ROLES)
        super().__init__(tokens, source, roles)
        for token in tokens:
            if "\0" in token or len(token.encode()) > _MAX_BYTES:
                raise ValueError(
                    f"{source} must have pieces of at most {_MAX_BYTES} bytes "
                    f"without NUL characters. Received: {brief(token)}."
                )
        if len(self.ids) != len(tokens):
            counts = collections.Counter(tokens)
            logging.warning(
                "%s contains pieces more than once. They get the last of their "
                "ids, as in transformers: %s.",
                source,
                ", ".join(
                    repr(t) for t, number in counts.items() if number > 1
                ),
            )

    @classmethod
    def from_file(cls, path: Path) -> "Vocabulary":
        """Read a `vocab.txt`.

        Only "\\n" ends a line: the published Chinese vocabulary contains the
        line separator U+2028 as a piece. If the first line has a tab, each
        line is a piece, a tab and the id of the piece, as in ERNIE's files.

        Args:
            path: path of the file.

        Raises:
            ValueError: the file is empty, not UTF-8 or not a vocabulary, or
                the id of a line is wrong.
        """
        lines = [line.strip(" \t\r") for line in read_lines(path)]
        if "\t" in lines[0]:
            lines = [_piece_of(path, *x) for x in enumerate(lines)]
        return cls(lines, source=str(path))

    def save(self, path: Path) -> None:
        """Write a `vocab.txt` atomically.

        Args:
            path: path of the file.
        """
        write_whole(path, self.to_bytes())

    def op_tokens(
        self, hidden: collections.abc.Container[str] = ()
    ) -> list[str]:
        """Return the pieces for the op, which must be distinct.

        Hidden and duplicate pieces are replaced by a control character, which
        no normalized text contains, and their id.

        Args:
            hidden: pieces that the op must not produce.
        """
        return [
            f"\x01{index}"
            if index != self.ids[token] or token in hidden
            else token
            for index, token in enumerate(self.tokens)
        ]

    def _join(self, tokens):
        """Join the words by spaces, see `BaseVocabulary`."""
        return " ".join(tokens).replace(" ##", "")

    @property
    def is_continuation(self) -> list[bool]:
        """True for each piece that continues a word."""
        return [t.startswith("##") and len(t) > 2 for t in self.tokens]

    @property
    def spelled(self) -> list[bytes]:
        """UTF-8 text of each token, to be joined when decoding."""
        pairs = zip(self.tokens, self.is_continuation, strict=True)
        return [(t[2:] if more else f" {t}").encode() for t, more in pairs]


def _piece_of(path, index, line):
    """Return the piece of a line with a tab and an id."""
    piece, _, number = line.rpartition("\t")
    if number != str(index):
        raise ValueError(
            f"{path}, line {index + 1}: must be a piece, a tab and the id "
            f"{index}, because the first line has an id. Received: "
            f"{brief(line)}."
        )
    return piece.strip()
