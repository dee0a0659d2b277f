"""The tokens of a byte-level BPE tokenizer, and the bytes that they spell."""

import functools

from keras_bert.text.base_vocabulary import BaseVocabulary

PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_TOKENS = (
    "<pad>",
    "<unk>",
    "<s>",
    "</s>",
    "<mask>",
)
ROLES = dict(
    zip(("pad", "unknown", "cls", "sep", "mask"), SPECIAL_TOKENS, strict=True)
)


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


class BytePairVocabulary(BaseVocabulary):
    """Byte-level tokens and their ids, with RoBERTa's special tokens.

    Args:
        tokens: the tokens, as strings in the order of their ids, spelled as
            in the published files: " the" is "Ġthe".
        source: str, where they come from, for error messages.

    Raises:
        ValueError: a special token or the character of a byte is missing, or
            a token stands twice.
    """

    roles = ROLES

    def __init__(self, tokens, source="vocabulary"):
        super().__init__(tokens, source)
        missing = [c for c in byte_characters() if c not in self]
        if missing:
            raise ValueError(
                f"{source} must hold a token for each of the 256 bytes, as a "
                f"byte-level BPE does. Missing: {len(missing)}, the first "
                f"{missing[0]!r}."
            )

    @property
    def is_continuation(self):
        """For each token whether it continues a word, a list of bool.

        It does unless it begins with white space or is a special token.
        fairseq looks for a space only; but there no text has a line break,
        behind which a word would go on with the one before it.
        """
        return [
            token not in SPECIAL_TOKENS and not _begins_with_space(token)
            for token in self.tokens
        ]


def _begins_with_space(token):
    text = (spelled_bytes(token) or b"").decode("utf-8", "replace")
    return text[:1].isspace()
