"""Base classes for vocabularies, special tokens and added tokens."""

import collections.abc
import copy
import hashlib
import pathlib
import typing

from keras_bert.summary import Summarized


class SpecialTokenRoles(dict):
    """Dict mapping special-token types, such as "cls", to tokens.

    Looking up a missing type raises ValueError.
    """

    def __missing__(self, role):
        raise ValueError(
            f"The vocabulary must have a special token of type {role!r}. "
            f"Received: special tokens of the types {', '.join(self)}."
        )


class BaseVocabulary(Summarized):
    """Base class for vocabularies, which map tokens to ids.

    Subclasses define `is_continuation` and `_join(tokens)`, which returns the
    text of tokens. They may define `_hint`, which extends the error message for
    a missing special token.

    Args:
        tokens: tokens in the order of their ids, spelled as in the published
            files.
        source: file name to show in error messages.
        roles: dict mapping "pad", "unknown", "cls", "sep" and "mask" to special
            tokens. Defaults to the special tokens of the class.

    Attributes:
        ids: dict mapping tokens to their ids.
        pair: str, layout of text pairs for this tokenizer in the format of
            `Template`. If None, the model family determines the layout.

    Raises:
        ValueError: a special token is missing or a token occurs twice.
    """

    roles = {}
    pair = None
    allows_duplicates = False

    def __init__(
        self,
        tokens: collections.abc.Iterable[str],
        source: str = "vocabulary",
        roles: dict[str, str] | None = None,
    ) -> None:
        self.tokens = tuple(tokens)
        self.roles = SpecialTokenRoles(self.roles if roles is None else roles)
        self.ids = {token: index for index, token in enumerate(self.tokens)}
        if len(self.ids) != len(self.tokens) and not self.allows_duplicates:
            counts = collections.Counter(self.tokens)
            twice = next(token for token in self.tokens if counts[token] > 1)
            raise ValueError(
                f"{source} must not contain a token twice. Received: {twice!r}."
            )
        special = self.roles.values()
        missing = [token for token in special if token not in self.ids]
        if missing:
            raise ValueError(
                f"{source} must contain the special tokens "
                f"{', '.join(special)} (case-sensitive). Missing: "
                f"{', '.join(missing)}.{self._hint()}"
            )

    def _facts(self):
        return {"num_tokens": len(self.tokens)}

    def _hint(self):
        return ""

    @property
    def sha256(self) -> str:
        """SHA-256 of `to_bytes()` in hexadecimal.

        It does not depend on the line endings of the file.
        """
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the tokens in UTF-8, one per line."""
        return "".join(f"{token}\n" for token in self.tokens).encode("utf-8")

    def with_tokens(
        self, tokens: collections.abc.Iterable[str]
    ) -> "BaseVocabulary":
        """Return a copy of the vocabulary with tokens appended.

        The tokenizer does not produce the new tokens.

        Args:
            tokens: new tokens.

        Raises:
            ValueError: the file format cannot store additional tokens.
        """
        longer = copy.copy(self)
        roles = self.roles
        BaseVocabulary.__init__(longer, (*self.tokens, *tokens), roles=roles)
        return longer

    def __len__(self):
        return len(self.tokens)

    def __contains__(self, token):
        return token in self.ids

    def id_of(self, token: str) -> int:
        """Return the id of a token.

        Args:
            token: str.

        Raises:
            KeyError: the token is not in the vocabulary.
        """
        return self.ids[token]

    def decode(self, ids: collections.abc.Iterable[int]) -> str:
        """Decode ids to a text.

        Args:
            ids: ids of tokens.
        """
        return self._join(self.tokens[index] for index in ids)

    @property
    def unk_id(self) -> int:
        """Id of the unknown token."""
        return self.ids[self.roles["unknown"]]

    @property
    def is_lowercase(self) -> bool:
        """True if only tokens in brackets have upper-case letters."""
        return all(
            token == token.lower()
            for token in self.tokens
            if not (token.startswith("[") and token.endswith("]"))
        )


class AddedToken(typing.NamedTuple):
    """Token that is matched in texts before they are tokenized.

    Args:
        text: the token.
        is_special: whether to match it only if `special_tokens_in_text` is
            True.
        takes_space: whether a match includes the white space before the token.
        normalized: whether to match it in the normalized text instead of the
            raw text. Defaults to True for tokens that are not special.
    """

    text: str
    is_special: bool = True
    takes_space: bool = False
    normalized: bool | None = None

    @property
    def is_normalized(self):
        """True if the token is matched in the normalized text."""
        if self.normalized is None:
            return not self.is_special
        return self.normalized


def special_tokens(roles, mask_takes_space=True):
    """Return a list of `AddedToken`, one for each special-token type."""
    takes_space = roles.get("mask") if mask_takes_space else None
    return [AddedToken(t, True, t == takes_space) for t in roles.values()]


def read_lines(path):
    """Return the lines of a UTF-8 file; only "\\n" ends a line.

    Raises:
        ValueError: the file is not UTF-8.
    """
    try:
        text = pathlib.Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} must be UTF-8 text. Received: byte "
            f"0x{error.object[error.start]:02x} at offset {error.start}."
        ) from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")
