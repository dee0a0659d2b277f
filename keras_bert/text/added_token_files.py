"""Added tokens in the files of a tokenizer's directory."""

import pathlib

from keras_bert.config import read_json_file
from keras_bert.text.base_vocabulary import TOKEN_KEYS
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.base_vocabulary import told_token

_FAST_TOKENIZER, _SETTINGS = "tokenizer.json", "tokenizer_config.json"
_ADDED, _SPECIAL_MAP = "added_tokens.json", "special_tokens_map.json"
_DECODER = "added_tokens_decoder"
_NAMED = (*TOKEN_KEYS, "bos_token", "eos_token")
_EXTRA = ("additional_special_tokens", "extra_special_tokens")
# White space around the others is theirs, which only some kinds support.
SUPPORTED = {"single_word": False}


def read_added_tokens(directory, ids, roles, supported=SUPPORTED):
    """Read the added tokens of a directory as transformers reads them.

    They are in `tokenizer.json`, in `tokenizer_config.json` and, in
    directories of older releases, in `added_tokens.json`.

    Args:
        directory: `pathlib.Path`.
        ids: dict from the tokens of the vocabulary to their ids.
        roles: dict from roles to special tokens, which are not returned.
        supported: dict from properties of an added token to the only value
            that the kind of tokenizer supports.

    Returns:
        A list of the tokens that follow the vocabulary, in the order of their
        ids, and a tuple of `AddedToken`.

    Raises:
        ValueError: a token has another id than in the vocabulary, or the ids
            leave a gap, or a property is not supported.
    """
    known, added = dict(ids), {}
    for path, entry in _entries(pathlib.Path(directory), ids):
        token = parse_added_token(path, entry, supported, roles.values())
        index = entry["id"]
        if known.setdefault(token.text, index) != index:
            raise ValueError(
                f"{path}: the added token {token.text!r} must have the id "
                f"{known[token.text]}, as in the other files of the "
                f"directory. Received: {index}."
            )
        if token.text not in roles.values():
            added[token.text] = token
    size = max(ids.values(), default=-1) + 1
    new = sorted({*known} - {*ids}, key=known.get)
    if [known[token] for token in new] != [*range(size, size + len(new))]:
        raise ValueError(
            f"{directory}: the ids of added tokens must follow the {size} "
            "tokens of the vocabulary without a gap. Add a line such as "
            "[unused0] to the vocabulary for each id that is missing. "
            f"Received: { ({token: known[token] for token in new}) }."
        )
    return new, (*added.values(),)


def parse_added_token(path, entry, supported=SUPPORTED, special=()):
    """Make the `AddedToken` of an entry of a file.

    Args:
        path: where the entry is, for messages.
        entry: dict, as in the `added_tokens` of a `tokenizer.json`.
        supported: as `read_added_tokens` takes it.
        special: collection of str, tokens that are special in any case.

    Raises:
        ValueError: the entry has no text or id, or is not supported.
    """
    text = entry.get("content") if isinstance(entry, dict) else entry
    if not isinstance(entry, dict) or not isinstance(text, str) or not text:
        raise ValueError(
            f"{path} must add tokens that are texts. Received: {text!r}."
        )
    if type(entry.get("id")) is not int:
        raise ValueError(
            f"{path} must give the added token {text!r} an id, a whole "
            f"number. Received: {entry.get('id')!r}."
        )
    is_special = text in special or bool(entry.get("special"))
    for key, value in supported.items():
        wanted = (not is_special) if value is None else value
        if bool(entry.get(key, wanted)) is not wanted:
            raise ValueError(
                f"{path}: `{key}` of the added token {text!r} must be "
                f"{wanted}. Received: {entry[key]!r}."
            )
    normalized = bool(entry.get("normalized", not is_special))
    return AddedToken(text, is_special, bool(entry.get("lstrip")), normalized)


def refuse_added_tokens(directory, vocabulary):
    """Raise ValueError if files add tokens besides the special ones.

    Args:
        directory: `pathlib.Path`.
        vocabulary: a vocabulary of a kind that has no added tokens.
    """
    ids = {token: index for index, token in enumerate(vocabulary.tokens)}
    _, added = read_added_tokens(directory, ids, vocabulary.roles)
    if added:
        raise ValueError(
            f"{directory} must add no tokens to its vocabulary, because this "
            f"kind of tokenizer cannot find them in texts. Received: "
            f"{added[0].text!r}. Remove it from {_ADDED}, `{_DECODER}` of "
            f"{_SETTINGS} and {_FAST_TOKENIZER} if no text has it."
        )


def _entries(directory, ids):
    """List pairs of a file and an entry, which has its id."""
    names = _FAST_TOKENIZER, _SETTINGS, _ADDED, _SPECIAL_MAP
    paths = [directory / name for name in names]
    fast, settings, legacy, special_map = (
        read_json_file(path) if path.is_file() else {} for path in paths
    )
    found = [(paths[0], entry) for entry in fast.get("added_tokens") or []]
    decoder = settings.get(_DECODER)
    for index, entry in (decoder or {}).items():
        number = int(index) if index.isdecimal() else index
        is_entry = isinstance(entry, dict)
        entry = {**entry, "id": number} if is_entry else entry
        found.append((paths[1], entry))
    if decoder is not None:
        return found
    special = []
    for values in (settings, special_map):
        special += [told_token(values, key) for key in _NAMED]
        for key in _EXTRA:
            extra = dict(enumerate(values.get(key) or []))
            special += [told_token(extra, number) for number in extra]
    legacy = {**{t: ids[t] for t in special if t in ids}, **legacy}
    return found + [
        (paths[2], {"content": t, "id": index, "special": t in special})
        for t, index in legacy.items()
    ]
