"""The word pieces that a model knows, one a line."""

import collections

from absl import logging

from keras_bert import artifacts
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.base_vocabulary import read_lines

ROLES = {
    "pad": "[PAD]",
    "unknown": "[UNK]",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "mask": "[MASK]",
}
# Of MPNet, whose vocabulary has BERT's behind them.
_MPNET_ROLES = {
    "pad": "<pad>",
    "unknown": "[UNK]",
    "cls": "<s>",
    "sep": "</s>",
    "mask": "<mask>",
}
PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_TOKENS = tuple(ROLES.values())


class Vocabulary(BaseVocabulary):
    """Word pieces and their ids.

    Args:
        tokens: the word pieces, as strings in the order of their ids. Pieces
            that continue a word begin with "##". With "<s>" as the first,
            they are those of MPNet, with its special tokens. A piece that
            occurs more than once has the last of its ids, as in transformers;
            a warning lists such pieces.
        source: str, where they come from, for error messages.

    Raises:
        ValueError: a special token is missing.
    """

    allows_duplicates = True

    def __init__(self, tokens, source="vocabulary"):
        tokens = (*tokens,)
        is_mpnet = tokens[:1] == (_MPNET_ROLES["cls"],)
        super().__init__(tokens, source, _MPNET_ROLES if is_mpnet else ROLES)
        if len(self.ids) != len(tokens):
            counts = collections.Counter(tokens)
            logging.warning(
                "%s holds pieces more than once, which get the last of their "
                "ids, as in transformers: %s.",
                source,
                ", ".join(
                    repr(t) for t, number in counts.items() if number > 1
                ),
            )

    @classmethod
    def from_file(cls, path):
        """Read a `vocab.txt`.

        Only "\\n" ends a line: the published Chinese vocabulary holds the
        line separator U+2028 as a word piece.

        Args:
            path: str.

        Raises:
            ValueError: the file is empty, no UTF-8 or no vocabulary.
        """
        lines = (line.strip(" \t\r") for line in read_lines(path))
        return cls(lines, source=str(path))

    def save(self, path):
        """Write a `vocab.txt`, whole or not at all.

        Args:
            path: str.
        """
        artifacts.write_whole(path, self.to_bytes())

    def op_tokens(self, hidden=()):
        """List the pieces for the op, which must be distinct.

        What texts are not cut into is spelled with a control character, which
        no normalised text has.

        Args:
            hidden: collection of str, pieces that texts are not cut into.
        """
        return [
            f"\x01{index}"
            if index != self.ids[token] or token in hidden
            else token
            for index, token in enumerate(self.tokens)
        ]

    @property
    def is_continuation(self):
        """For each piece whether it continues a word, a list of bool."""
        return [t.startswith("##") and len(t) > 2 for t in self.tokens]

    @property
    def spelled(self):
        """The texts of tokens one behind the other, a list of bytes."""
        pairs = zip(self.tokens, self.is_continuation, strict=True)
        return [(t[2:] if more else f" {t}").encode() for t, more in pairs]
