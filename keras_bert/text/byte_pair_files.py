"""Vocabulary and merges of a byte-level BPE, from the published files."""

import pathlib

from keras_bert.config import read_json_object
from keras_bert.text.byte_pair_vocabulary import SPECIAL_TOKENS
from keras_bert.text.byte_pair_vocabulary import BytePairVocabulary

_VERSION = "#version"
_ADDED = "added_tokens"
# What a tokenizer.json may say of its model, besides nothing.
_MODEL = {
    "dropout": (None, 0, 0.0),
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "byte_fallback": (None, False),
    "ignore_merges": (None, False),
}
# And of its one pre-tokenizer.
_PRE_TOKENIZER = {"type": ("ByteLevel",), "use_regex": (None, True)}


def read_vocab_json(path):
    """Reads a `vocab.json`, which gives each token its id.

    Returns:
        A `BytePairVocabulary`.

    Raises:
        ValueError: the file is none; the message names it.
    """
    return _vocabulary(read_json(path), path)


def read_merges_txt(path):
    """Reads a `merges.txt`, a pair of tokens a line.

    Lines end at "\\n" only. A first line "#version: 0.2" is passed over.

    Returns:
        A list of pairs of str.

    Raises:
        ValueError: the file is none; the message names it and the line.
    """
    try:
        text = pathlib.Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} must be UTF-8 text. Received: byte "
            f"0x{error.object[error.start]:02x} at offset {error.start}."
        ) from None
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    merges = []
    for number, line in enumerate(lines, start=1):
        pair = tuple(line.split(" "))
        if len(pair) == 2 and all(pair) and not line.startswith(_VERSION):
            merges.append(pair)
        elif number > 1 or not line.startswith(_VERSION):
            raise ValueError(
                f"{path} must hold two tokens and a space between them in "
                f"each line. Received: {line[:80]!r} in line {number}."
            )
    return merges


def read_tokenizer_json(path):
    """Reads what a `tokenizer.json` says of a byte-level BPE.

    Returns:
        A `BytePairVocabulary`, a list of pairs of str, and whether a prefix
        space is added, bool.

    Raises:
        ValueError: the file is none, or of another tokenizer than RoBERTa's;
            the message names it.
    """
    values = read_json(path)
    model = _object(values.get("model"))
    is_model = model.get("type", "BPE") == "BPE"
    if not is_model or not isinstance(model.get("merges"), list):
        raise ValueError(
            f'{path} must hold a model of the type "BPE" with a list of '
            f"merges. Received: {model.get('type')!r}."
        )
    if values.get("normalizer") is not None:
        raise ValueError(
            f"{path} must have no normalizer: byte-level BPE is had only "
            "without. Received: normalizer "
            f"{_object(values['normalizer']).get('type')!r}."
        )
    _check_settings(path, "model", model, _MODEL)
    first, *others = _pre_tokenizers(values)
    _check_settings(path, "pre_tokenizer", first, _PRE_TOKENIZER)
    if others:
        raise ValueError(
            f"{path} must have ByteLevel as its only pre-tokenizer. Received: "
            f"{len(others)} more, the first "
            f"{_object(others[0]).get('type')!r}."
        )
    tokens = {**_object(model.get("vocab")), **_added_tokens(path, values)}
    merges = [*map(_pair, model["merges"])]
    add_prefix_space = first.get("add_prefix_space", True)
    return _vocabulary(tokens, path), merges, add_prefix_space


def read_json(path):
    """Reads a JSON object; ValueError names the file."""
    try:
        return read_json_object(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _vocabulary(ids, path):
    numbers = [*ids.values()]
    if not all(type(number) is int for number in numbers) or sorted(
        numbers
    ) != [*range(len(numbers))]:
        raise ValueError(
            f"{path} must give the ids from 0 on, each to one token."
        )
    return BytePairVocabulary(sorted(ids, key=ids.get), source=str(path))


def _object(value):
    return value if isinstance(value, dict) else {}


def _pre_tokenizers(values):
    value = _object(values.get("pre_tokenizer"))
    if value.get("type") == "Sequence":
        return [*map(_object, value.get("pretokenizers", []))] or [{}]
    return [value]


def _pair(merge):
    """A merge, which is "a b" or ["a", "b"]; what is neither stays wrong."""
    if isinstance(merge, str):
        return tuple(merge.split(" "))
    return tuple(merge) if isinstance(merge, list) else (merge,)


def _check_settings(path, part, settings, allowed):
    for key, values in allowed.items():
        if settings.get(key) not in values:
            raise ValueError(
                f"{path}: `{key}` of the {part} must be {values[-1]!r}, as "
                f"RoBERTa's. Received: {settings.get(key)!r}."
            )


def _added_tokens(path, values):
    added = {}
    for token in map(_object, values.get(_ADDED) or []):
        content, number = token.get("content"), token.get("id")
        is_special = content in SPECIAL_TOKENS or token.get("special")
        if not isinstance(content, str) or not is_special:
            raise ValueError(
                f"{path} must add special tokens only. Received: {content!r}, "
                "which would be found in texts before they are cut."
            )
        added[content] = number
    return added
