"""Vocabulary and merges of a byte-level BPE, from the published files."""

import pathlib
import typing

from keras_bert.config import read_json_file
from keras_bert.text.added_token_files import SUPPORTED
from keras_bert.text.added_token_files import parse_added_token
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.base_vocabulary import tokenizer_json
from keras_bert.text.base_vocabulary import tokens_in_order
from keras_bert.text.byte_pair.vocabulary import SPECIAL_TOKENS

NFC = "NFC"
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


class FastBytePair(typing.NamedTuple):
    """A `tokenizer.json`, read; the tokens are in the order of their ids."""

    tokens: list[str]
    merges: list[tuple]
    add_prefix_space: bool
    normalizer: str | None
    added_tokens: list[AddedToken]


def read_vocab_json(path):
    """Lists the tokens of a `vocab.json`; a ValueError names the file."""
    return tokens_in_order(read_json_file(path), path)


def to_merges_txt(merges):
    """Makes the text of a `merges.txt` of pairs of tokens, a str."""
    lines = "".join(f"{left} {right}\n" for left, right in merges)
    return f"{_VERSION}: 0.2\n{lines}"


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
        A `FastBytePair`.

    Raises:
        ValueError: the file is none, or of a tokenizer that cuts otherwise;
            the message names it.
    """
    values = read_json_file(path)
    model = _object(values.get("model"))
    is_model = model.get("type", "BPE") == "BPE"
    if not is_model or not isinstance(model.get("merges"), list):
        raise ValueError(
            f'{path} must hold a model of the type "BPE" with a list of '
            f"merges. Received: {model.get('type')!r}."
        )
    normalizer = values.get("normalizer")
    if normalizer not in (None, {"type": NFC}):
        raise ValueError(
            f"{path} must have the normalizer {NFC} or none. Received: "
            f"normalizer {_object(normalizer).get('type')!r}."
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
    ids, added = _added_tokens(path, values)
    return FastBytePair(
        tokens_in_order({**_object(model.get("vocab")), **ids}, path),
        [*map(_pair, model["merges"])],
        first.get("add_prefix_space", True),
        normalizer and NFC,
        added,
    )


def to_tokenizer_json(settings):
    """Makes what a `tokenizer.json` holds.

    Args:
        settings: `BytePairSettings`.

    Returns:
        A dict for JSON.
    """
    vocabulary = settings.vocabulary
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": settings.add_prefix_space,
        "trim_offsets": True,
        "use_regex": True,
    }
    return tokenizer_json(
        vocabulary,
        settings.added_tokens,
        second_segment=0,
        normalizer=settings.normalizer and {"type": settings.normalizer},
        pre_tokenizer=byte_level,
        decoder=byte_level,
        model={
            "type": "BPE",
            "vocab": {t: n for n, t in enumerate(vocabulary.tokens)},
            "merges": [" ".join(merge) for merge in settings.merges],
        },
    )


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
    """Their ids, and the `AddedToken`s."""
    has_normalizer = values.get("normalizer") is not None
    supported = supported_properties(has_normalizer)
    entries = values.get(_ADDED) or []
    added = [
        parse_added_token(path, entry, supported, SPECIAL_TOKENS)
        for entry in entries
    ]
    return {e["content"]: e["id"] for e in entries}, added


def supported_properties(has_normalizer):
    """Properties that an added token must have, as `read_added_tokens` takes.

    Args:
        has_normalizer: bool. With one, special tokens are found before it and
            all others after it.
    """
    if has_normalizer:
        return {**SUPPORTED, "rstrip": False, "normalized": None}
    return {**SUPPORTED, "rstrip": False}
