"""Common parts of the vocabularies of all kinds of tokenizers."""

import collections
import copy
import hashlib
import typing

from keras_bert.summary import Summarized

# Of the settings of a tokenizer, in its files.
SPECIAL_TOKENS_IN_TEXT = "special_tokens_in_text"
# Roles of special tokens, by the keys of tokenizer_config.json.
TOKEN_KEYS = {
    "unk_token": "unknown",
    "sep_token": "sep",
    "pad_token": "pad",
    "cls_token": "cls",
    "mask_token": "mask",
}


class Roles(dict):
    """The special tokens of a vocabulary by their roles.

    One that is missing is a ValueError for whoever looks it up.
    """

    def __missing__(self, role):
        raise ValueError(
            f"This needs a special token that plays the role {role!r}. The "
            f"vocabulary has none; its roles are {', '.join(self)}."
        )


class BaseVocabulary(Summarized):
    """Tokens and their ids.

    A vocabulary of a kind says its `roles` and `is_continuation`; it may say
    in `_hint` more where a special token is missing.

    Args:
        tokens: the tokens, as strings in the order of their ids, spelled as
            in the published files.
        source: str, where they come from, for error messages.

    Attributes:
        pair: str, the layout of pairs that the files of this kind of tokenizer
            prescribe, as `Template` takes it; None leaves it to the model.
        roles: `Roles`, from "pad", "unknown", "cls", "sep" and "mask" to the
            special tokens that play these roles.

    Raises:
        ValueError: a special token is missing or a token stands twice.
    """

    roles = {}
    pair = None
    allows_duplicates = False

    def __init__(self, tokens, source="vocabulary"):
        self.tokens = tuple(tokens)
        self.roles = Roles(self.roles)
        self._ids = {token: index for index, token in enumerate(self.tokens)}
        if len(self._ids) != len(self.tokens) and not self.allows_duplicates:
            raise ValueError(_first_duplicate(self.tokens, source))
        special = self.roles.values()
        missing = [token for token in special if token not in self._ids]
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

        It does not depend on how lines end in the file.
        """
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def to_bytes(self):
        """The tokens, one a line, in UTF-8."""
        return "".join(f"{token}\n" for token in self.tokens).encode("utf-8")

    def with_tokens(self, tokens):
        """Makes a vocabulary with further tokens behind those that there are.

        Texts are cut into them no more than before.

        Args:
            tokens: sequence of str.

        Raises:
            ValueError: the file of this kind has no place for them.
        """
        longer = copy.copy(self)
        BaseVocabulary.__init__(longer, (*self.tokens, *tokens))
        return longer

    def __len__(self):
        return len(self.tokens)

    def __contains__(self, token):
        return token in self._ids

    def id_of(self, token):
        """Return the id of a token.

        Args:
            token: str.

        Raises:
            KeyError: there is no such token.
        """
        return self._ids[token]

    @property
    def unk_id(self):
        """The id of the unknown token."""
        return self._ids[self.roles["unknown"]]

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
        takes_space: bool, the white space before it is a part of it.
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
    """Lists the `AddedToken`s that play roles."""
    takes_space = roles.get("mask") if mask_takes_space else None
    return [AddedToken(t, True, t == takes_space) for t in roles.values()]


def told_token(settings, key, default=None):
    """The token that a `tokenizer_config.json`, a dict, has under a key."""
    value = settings.get(key) or default
    # It may be an AddedToken, written out.
    return value.get("content") if isinstance(value, dict) else value


def check_token_settings(settings, roles, path):
    """Raises ValueError if a `tokenizer_config.json` has other tokens."""
    for key, token in token_settings(roles).items():
        value = told_token(settings, key, token)
        if value != token:
            raise ValueError(
                f"{path}: `{key}` must be {token}. Received: {value!r}."
            )


def token_settings(roles):
    """The tokens that play roles, by the keys of `tokenizer_config.json`."""
    return {key: roles[x] for key, x in TOKEN_KEYS.items() if x in roles}


def tokens_in_order(ids, path):
    """Lists the tokens of a dict of their ids; ValueError unless these count.

    Args:
        ids: dict from str to int.
        path: str, where they come from, for the message.
    """
    numbers = [*ids.values()]
    if not all(type(number) is int for number in numbers) or sorted(
        numbers
    ) != [*range(len(numbers))]:
        raise ValueError(
            f"{path} must give the ids from 0 on, each to one token."
        )
    return sorted(ids, key=ids.get)


def _first_duplicate(tokens, source):
    counts = collections.Counter(tokens)
    token = next(token for token in tokens if counts[token] > 1)
    first = tokens.index(token)
    return (
        f"{source} must not hold a token twice. Received: {token!r} with the "
        f"ids {first} and {tokens.index(token, first + 1)}, which count from 0."
    )
