"""The tokens of a byte-level BPE tokenizer, and the bytes that they spell."""

import functools

from keras_bert.text.base_vocabulary import BaseVocabulary

ROLES = {
    "pad": "<pad>",
    "unknown": "<unk>",
    "cls": "<s>",
    "sep": "</s>",
    "mask": "<mask>",
}
PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_TOKENS = tuple(ROLES.values())


# Bytes that never occur in UTF-8.
_NO_UTF_8 = (0xC0, 0xC1, *range(0xF5, 0x100))


@functools.cache
def byte_characters():
    """The character that stands for each byte, a tuple of 256 str.

    Bytes that are printable characters of Latin-1 stand for themselves; the
    others are U+0100 and what follows, in the order of the bytes.
    """
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return tuple(
        chr(byte if byte in printable else next(others)) for byte in range(256)
    )


@functools.cache
def _bytes_of_characters():
    return {char: byte for byte, char in enumerate(byte_characters())}


def spelled_bytes(token):
    """The bytes that a token spells; None if it holds another character."""
    table = _bytes_of_characters()
    try:
        return bytes(table[character] for character in token)
    except KeyError:
        return None


def token_bytes(token):
    """The bytes that a token stands for; of an added one its own."""
    spelled = spelled_bytes(token)
    return token.encode() if spelled is None else spelled


class BytePairVocabulary(BaseVocabulary):
    """Byte-level tokens and their ids.

    Args:
        tokens: the tokens, as strings in the order of their ids, spelled as
            in the published files: " the" is "Ġthe".
        source: str, where they come from, for error messages.
        roles: dict from roles to special tokens; RoBERTa's by default.

    Raises:
        ValueError: a special token or the character of a byte that occurs in
            UTF-8 is missing, or a token stands twice.
    """

    def __init__(self, tokens, source="vocabulary", roles=ROLES):
        super().__init__(tokens, source, roles)
        characters = enumerate(byte_characters())
        missing = [
            c for n, c in characters if c not in self and n not in _NO_UTF_8
        ]
        if missing:
            raise ValueError(
                f"{source} must hold a token for each of the 243 bytes that "
                "occur in UTF-8, as a byte-level BPE does. Missing: "
                f"{len(missing)}, the first {missing[0]!r}."
            )

    @property
    def is_continuation(self):
        """For each token whether it continues a word, a list of bool.

        It does unless it begins with white space or has a role.
        fairseq looks for a space only; but there no text has a line break,
        behind which a word would go on with the one before it.
        """
        special = {*self.roles.values()}
        return [
            token not in special and not _begins_with_space(token)
            for token in self.tokens
        ]

    @property
    def spelled(self):
        """The texts of tokens one behind the other, a list of bytes."""
        return [*map(token_bytes, self.tokens)]


def _begins_with_space(token):
    return token_bytes(token).decode("utf-8", "replace")[:1].isspace()
