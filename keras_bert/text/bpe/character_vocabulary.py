"""Vocabulary of character-level BPE."""

from keras_bert.text.base_vocabulary import BaseVocabulary

# Suffix of the last character of a word.
WORD_END = "</w>"
ROLES = {"unknown": "<unk>"}


class BpeVocabulary(BaseVocabulary):
    """Vocabulary of character-level BPE tokens.

    Args:
        tokens: tokens in the order of their ids, spelled as in the published
            files: "the</w>" ends a word and "the" does not.
        source: str, file name to show in error messages.
        roles: dict mapping special-token types to tokens. GPT-1 only has the
            unknown token.

    Raises:
        ValueError: a special token is missing, or a token occurs twice.
    """

    def __init__(self, tokens, source="vocabulary", roles=ROLES):
        super().__init__(tokens, source, roles)

    def _join(self, tokens):
        """Join the words by spaces, see `BaseVocabulary`."""
        return "".join(tokens).replace(WORD_END, " ").strip()

    @property
    def is_continuation(self):
        """Raise ValueError, because tokens do not mark where words begin."""
        raise ValueError(
            "Tokens must mark whether they continue a word, as in WordPiece. "
            "Received: a tokenizer of the type bpe, with tokens that mark the "
            "end of words."
        )

    @property
    def spelled(self) -> list[bytes]:
        """UTF-8 text of each token, to be joined when decoding."""
        return [t.replace(WORD_END, " ").encode() for t in self.tokens]
