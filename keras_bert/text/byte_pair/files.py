"""Vocabulary and merges of a byte-level BPE, from the published files."""

import pathlib
import typing

from keras_bert.config import read_json_file
from keras_bert.text.added_token_files import SUPPORTED
from keras_bert.text.added_token_files import parse_added_token
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.base_vocabulary import tokens_in_order
from keras_bert.text.byte_pair.vocabulary import SPECIAL_TOKENS
from keras_bert.text.fast_tokenizer import check_parts

NFC = "NFC"
_VERSION = "#version"
_ADDED = "added_tokens"
# The supported settings of a `tokenizer.json`.
_PARTS = {
    "model": {
        "dropout": (None, 0, 0.0),
        "continuing_subword_prefix": (None, ""),
        "end_of_word_suffix": (None, ""),
        "byte_fallback": (None, False),
        "ignore_merges": (None, False),
    },
    "pre_tokenizer": {"type": ("ByteLevel",), "use_regex": (None, True)},
}


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
    first, *others = _pre_tokenizers(values)
    parts = {"model": model, "pre_tokenizer": first}
    check_parts(path, parts, _PARTS, "RoBERTa")
    if others:
        raise ValueError(
            f"{path} must have ByteLevel as its only pre-tokenizer. Received: "
            f"{len(others)} more, the first "
            f"{_object(others[0]).get('type')!r}."
        )
    added = _added_tokens(path, values)
    return FastBytePair(
        *tokens_and_merges(values, path),
        first.get("add_prefix_space", True),
        normalizer and NFC,
        added,
    )


def _object(value):
    return value if isinstance(value, dict) else {}


def _pre_tokenizers(values):
    value = _object(values.get("pre_tokenizer"))
    if value.get("type") == "Sequence":
        return [*map(_object, value.get("pretokenizers", []))] or [{}]
    return [value]


def tokens_and_merges(values, path):
    """Read a BPE model of a `tokenizer.json`.

    Args:
        values: dict, the content of the file.
        path: where the file is, for messages.

    Returns:
        A list of the tokens in the order of their ids, and a list of tuples
        of str. What is no merge stays wrong.
    """
    model = _object(values.get("model"))
    added = {e["content"]: e["id"] for e in values.get(_ADDED) or []}
    pairs = (
        merge.split(" ") if isinstance(merge, str) else merge
        for merge in model.get("merges") or []
    )
    return (
        tokens_in_order({**_object(model.get("vocab")), **added}, path),
        [tuple(x) if isinstance(x, list) else (x,) for x in pairs],
    )


def _added_tokens(path, values):
    has_normalizer = values.get("normalizer") is not None
    supported = supported_properties(has_normalizer)
    return [
        parse_added_token(path, entry, supported, SPECIAL_TOKENS)
        for entry in values.get(_ADDED) or []
    ]


def supported_properties(has_normalizer):
    """Properties that an added token must have, as `read_added_tokens` takes.

    Args:
        has_normalizer: bool. With one, special tokens are found before it and
            all others after it.
    """
    if has_normalizer:
        return {**SUPPORTED, "rstrip": False, "normalized": None}
    return {**SUPPORTED, "rstrip": False}
