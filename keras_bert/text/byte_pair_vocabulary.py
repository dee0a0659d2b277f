"""The tokens of a byte-level BPE tokenizer, and the bytes that they spell."""

import functools
import hashlib

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
# How the published files spell a space.
SPACE = "Ġ"


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


class BytePairVocabulary:
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
        self.tokens = tuple(tokens)
        self._ids = {token: index for index, token in enumerate(self.tokens)}
        if len(self._ids) != len(self.tokens):
            raise ValueError(_first_duplicate(self.tokens, source))
        missing = [t for t in SPECIAL_TOKENS if t not in self._ids]
        if missing:
            raise ValueError(
                f"{source} must hold RoBERTa's special tokens. Missing: "
                f"{', '.join(missing)}."
            )
        missing = [c for c in byte_characters() if c not in self._ids]
        if missing:
            raise ValueError(
                f"{source} must hold a token for each of the 256 bytes, as a "
                f"byte-level BPE does. Missing: {len(missing)}, the first "
                f"{missing[0]!r}."
            )

    @property
    def sha256(self):
        """The SHA-256, in hexadecimal, of the tokens, one a line."""
        text = "".join(f"{token}\n" for token in self.tokens)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def __len__(self):
        return len(self.tokens)

    def __contains__(self, token):
        return token in self._ids

    def id_of(self, token):
        """The id of a token; KeyError if there is none."""
        return self._ids[token]

    @property
    def unk_id(self):
        """The id of <unk>, which no text is cut into."""
        return self._ids[UNKNOWN]

    @property
    def is_continuation(self):
        """For each token whether it continues a word, a list of bool.

        It does unless it begins with a space or is a special token.
        """
        return [
            not token.startswith(SPACE) and token not in SPECIAL_TOKENS
            for token in self.tokens
        ]


def _first_duplicate(tokens, source):
    first = {}
    for index, token in enumerate(tokens):
        if token in first:
            return (
                f"{source} must not hold a token twice. Received: {token!r} "
                f"with the ids {first[token]} and {index}."
            )
        first[token] = index
    raise KeyError("no duplicate")
