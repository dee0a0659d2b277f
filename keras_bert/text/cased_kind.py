"""Kinds of tokenizers that lower-case texts or not, as their files say."""

import dataclasses
import pathlib

from keras_bert.text.casing import told_casing
from keras_bert.text.self_told_kind import SelfToldKind
from keras_bert.text.self_told_kind import named


@dataclasses.dataclass(frozen=True)
class CasedKind(SelfToldKind):
    """A kind of tokenizer that may lower-case texts.

    Where its files do not tell, a caller may. Its reader takes `lowercase`,
    bool or None, behind the directory, and its settings have it.
    Args: as of `SelfToldKind`.
    """

    def read(self, directory, max_chars_per_word=None, lowercase=None):
        """The settings that a directory holds.

        Args:
            directory: `pathlib.Path`.
            max_chars_per_word: not looked at: it is of word pieces.
            lowercase: bool, what the caller says of the casing, or None.

        Raises:
            ValueError: a file is missing or cannot be used, nothing tells
                the casing, or two tell it otherwise.
        """
        return named(self.reader)(directory, lowercase)

    def casing(self, vocab_file, claims, default=None):
        """Whether texts are lower-cased, of all that tell it.

        Args:
            vocab_file: str; what stands beside it tells too.
            claims: as of `agreed_casing`.
            default: not looked at: the vocabulary tells it.

        Returns:
            bool
        """
        directory = pathlib.Path(vocab_file).parent
        return self.read(directory, lowercase=told_casing(claims)).lowercase

    def lowercased(self, settings):
        """The same settings, but that texts are lower-cased."""
        return dataclasses.replace(settings, lowercase=True)
