"""Vocabulary of byte-level BPE, and conversion between tokens and bytes."""

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
    """Return the character that represents each byte, a tuple of 256 str.

    Bytes of printable Latin-1 characters represent themselves. The other bytes
    are mapped, in order, to the characters from U+0100.
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
    """Return the bytes of a token, or None if it is not byte-level."""
    table = _bytes_of_characters()
    try:
        return bytes(table[character] for character in token)
    except KeyError:
        return None


def token_bytes(token):
    """Decode a token to bytes; an added token is encoded in UTF-8."""
    spelled = spelled_bytes(token)
    return token.encode() if spelled is None else spelled


class BytePairVocabulary(BaseVocabulary):
    """Vocabulary of byte-level BPE tokens.

    Args:
        tokens: tokens in the order of their ids, spelled as in the published
            files: " the" is "Ġthe".
        source: str, file name to show in error messages.
        roles: dict mapping special-token types to tokens. Defaults to RoBERTa's
            tokens.

    Raises:
        ValueError: a special token or the token of a byte is missing, or a
            token occurs twice.
    """

    def __init__(self, tokens, source="vocabulary", roles=ROLES):
        super().__init__(tokens, source, roles)
        characters = enumerate(byte_characters())
        missing = [
            c for n, c in characters if c not in self and n not in _NO_UTF_8
        ]
        if missing:
            raise ValueError(
                f"{source} must have a token for each of the 243 bytes that "
                "occur in UTF-8, like any byte-level BPE. Missing: "
                f"{len(missing)}, the first {missing[0]!r}."
            )

    def _join(self, tokens):
        """Join the bytes; bytes that are not valid UTF-8 become U+FFFD."""
        return b"".join(map(token_bytes, tokens)).decode("utf-8", "replace")

    @property
    def is_continuation(self) -> list[bool]:
        """True for each token that continues a word.

        Special tokens and tokens that start with white space are False.
        (fairseq checks for a space only, because its texts have no line
        breaks.)
        """
        special = {*self.roles.values()}
        return [
            token not in special and not _begins_with_space(token)
            for token in self.tokens
        ]

    @property
    def spelled(self) -> list[bytes]:
        """UTF-8 text of each token, to be joined when decoding."""
        return [*map(token_bytes, self.tokens)]


def _begins_with_space(token):
    return token_bytes(token).decode("utf-8", "replace")[:1].isspace()
