"""The tokens of a BPE over characters."""

from keras_bert.text.base_vocabulary import BaseVocabulary

# Behind the last character of a word.
WORD_END = "</w>"
ROLES = {"unknown": "<unk>"}


class BpeVocabulary(BaseVocabulary):
    """Tokens of characters and their ids.

    Args:
        tokens: the tokens, as strings in the order of their ids, spelled as
            in the published files: "the</w>" ends a word, "the" does not.
        source: str, where they come from, for error messages.
        roles: dict from roles to special tokens. GPT-1 has the unknown one
            only.

    Raises:
        ValueError: a special token is missing, or a token stands twice.
    """

    def __init__(self, tokens, source="vocabulary", roles=ROLES):
        super().__init__(tokens, source, roles)

    @property
    def is_continuation(self):
        """ValueError: only the piece before one says if it continues a word."""
        raise ValueError(
            "This needs pieces that say whether they continue a word, as word "
            "pieces do. Those of the kind bpe say whether they end one."
        )

    @property
    def spelled(self):
        """The texts of tokens one behind the other, a list of bytes."""
        return [t.replace(WORD_END, " ").encode() for t in self.tokens]
