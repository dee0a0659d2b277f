"""Common parts of the vocabularies of all kinds of tokenizers."""

import collections
import copy
import hashlib
import pathlib
import typing

from keras_bert.summary import Summarized


class SpecialTokens(dict):
    """The special tokens of a vocabulary by their roles.

    Looking up a missing role raises ValueError.
    """

    def __missing__(self, role):
        raise ValueError(
            f"This needs a special token that plays the role {role!r}. The "
            f"vocabulary has none; its roles are {', '.join(self)}."
        )


class BaseVocabulary(Summarized):
    """Tokens and their ids.

    A subclass defines `is_continuation` and may define `_hint`, which extends
    the message about a missing special token.

    Args:
        tokens: tokens, as strings in the order of their ids, spelled as in
            the published files.
        source: str, name of the file, for error messages.
        roles: dict from "pad", "unknown", "cls", "sep" and "mask" to the
            special tokens; by default those of the class.

    Attributes:
        ids: dict from tokens to their ids.
        pair: str, the layout of pairs that the files of this kind of tokenizer
            prescribe, as `Template` takes it; None leaves it to the model.

    Raises:
        ValueError: a special token is missing or a token occurs twice.
    """

    roles = {}
    pair = None
    allows_duplicates = False

    def __init__(self, tokens, source="vocabulary", roles=None):
        self.tokens = tuple(tokens)
        self.roles = SpecialTokens(self.roles if roles is None else roles)
        self.ids = {token: index for index, token in enumerate(self.tokens)}
        if len(self.ids) != len(self.tokens) and not self.allows_duplicates:
            counts = collections.Counter(self.tokens)
            twice = next(token for token in self.tokens if counts[token] > 1)
            raise ValueError(
                f"{source} must not hold a token twice. Received: {twice!r}."
            )
        special = self.roles.values()
        missing = [token for token in special if token not in self.ids]
        if missing:
            raise ValueError(
                f"{source} must hold the special tokens {', '.join(special)}; "
                f"their case matters. Missing: {', '.join(missing)}."
                f"{self._hint()}"
            )

    def _facts(self):
        return {"num_tokens": len(self.tokens)}

    def _hint(self):
        return ""

    @property
    def sha256(self):
        """The SHA-256, in hexadecimal, of `to_bytes()`.

        It does not depend on the line ends of the file.
        """
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def to_bytes(self):
        """Return the tokens, one per line, in UTF-8."""
        return "".join(f"{token}\n" for token in self.tokens).encode("utf-8")

    def with_tokens(self, tokens):
        """Return a vocabulary with more tokens at its end.

        Texts are not cut into the new tokens.

        Args:
            tokens: sequence of str.

        Raises:
            ValueError: the file of this kind cannot hold them.
        """
        longer = copy.copy(self)
        roles = self.roles
        BaseVocabulary.__init__(longer, (*self.tokens, *tokens), roles=roles)
        return longer

    def __len__(self):
        return len(self.tokens)

    def __contains__(self, token):
        return token in self.ids

    def id_of(self, token):
        """Return the id of a token.

        Args:
            token: str.

        Raises:
            KeyError: the token is not in the vocabulary.
        """
        return self.ids[token]

    @property
    def unk_id(self):
        """The id of the unknown token."""
        return self.ids[self.roles["unknown"]]

    @property
    def is_lowercase(self):
        """True if only tokens in brackets have upper-case letters."""
        return all(
            token == token.lower()
            for token in self.tokens
            if not (token.startswith("[") and token.endswith("]"))
        )


class AddedToken(typing.NamedTuple):
    """Token that is found in texts before they are cut.

    Args:
        text: str.
        is_special: bool, find it only with `special_tokens_in_text`.
        takes_space: bool, include the white space before it.
        normalized: bool, find it in the normalised text, else in the text as
            given. None: only if it is not special.
    """

    text: str
    is_special: bool = True
    takes_space: bool = False
    normalized: bool | None = None

    @property
    def is_normalized(self):
        """True if it is found in the normalised text."""
        if self.normalized is None:
            return not self.is_special
        return self.normalized


def special_tokens(roles, mask_takes_space=True):
    """List the `AddedToken`s that play roles."""
    takes_space = roles.get("mask") if mask_takes_space else None
    return [AddedToken(t, True, t == takes_space) for t in roles.values()]


def read_lines(path):
    """List the lines of a UTF-8 file, which end at "\\n" only.

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
