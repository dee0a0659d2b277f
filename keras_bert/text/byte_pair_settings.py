"""What a byte-level BPE tokenizer is made of, without TensorFlow."""

import dataclasses
import json
import os
import pathlib
import typing

from keras_bert import artifacts
from keras_bert import text
from keras_bert.config import check_flags
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.byte_pair_files import read_json
from keras_bert.text.byte_pair_files import read_merges_txt
from keras_bert.text.byte_pair_files import read_tokenizer_json
from keras_bert.text.byte_pair_files import read_vocab_json
from keras_bert.text.byte_pair_vocabulary import ROLES
from keras_bert.text.byte_pair_vocabulary import BytePairVocabulary
from keras_bert.text.byte_pair_vocabulary import byte_characters

VOCABULARY = "vocab.json"
MERGES = "merges.txt"
_SETTINGS = "tokenizer_config.json"
_FAST_TOKENIZER = "tokenizer.json"
_ADD_PREFIX_SPACE = "add_prefix_space"
_SPECIAL_TOKENS = {
    "bos_token": ROLES["cls"],
    "eos_token": ROLES["sep"],
    "unk_token": ROLES["unknown"],
    "sep_token": ROLES["sep"],
    "pad_token": ROLES["pad"],
    "cls_token": ROLES["cls"],
    "mask_token": ROLES["mask"],
}


@dataclasses.dataclass(frozen=True)
class BytePairSettings:
    """The settings of a `BytePairTokenizer`, checked.

    Args:
        vocabulary: `BytePairVocabulary`, or the path of a `vocab.json`.
        merges: pairs of tokens in the order of their ranks, or the path of a
            `merges.txt`.
        add_prefix_space: bool, a text that begins with no space is given one.
        special_tokens_in_text: bool, a special token that is written in a
            text becomes its id.

    Raises:
        ValueError: a merge is not of tokens of the vocabulary, or they stand
            in an order in which they cannot have been learned.
    """

    kind: typing.ClassVar[str] = "byte_bpe"

    vocabulary: BytePairVocabulary
    merges: tuple
    add_prefix_space: bool = False
    special_tokens_in_text: bool = False

    def __post_init__(self):
        vocabulary, merges = self.vocabulary, self.merges
        if not isinstance(vocabulary, BytePairVocabulary):
            vocabulary = read_vocab_json(vocabulary)
        if isinstance(merges, str | os.PathLike):
            merges = read_merges_txt(merges)
        check_flags(
            add_prefix_space=self.add_prefix_space,
            special_tokens_in_text=self.special_tokens_in_text,
        )
        object.__setattr__(self, "vocabulary", vocabulary)
        object.__setattr__(self, "merges", tuple(map(tuple, merges)))
        _check_merges(vocabulary, self.merges)

    def tokenizer(self):
        """The `BytePairTokenizer`.

        Raises:
            ModuleNotFoundError: it needs a package that is not there.
        """
        return text.BytePairTokenizer(
            self.vocabulary,
            self.merges,
            self.add_prefix_space,
            self.special_tokens_in_text,
        )

    def save(self, directory):
        """Writes the files that `transformers` reads, each whole or not.

        They are `vocab.json`, `merges.txt` and `tokenizer_config.json`.

        Args:
            directory: `pathlib.Path`, existing.
        """
        tokens = {t: index for index, t in enumerate(self.vocabulary.tokens)}
        settings = {
            "tokenizer_class": "RobertaTokenizer",
            _ADD_PREFIX_SPACE: self.add_prefix_space,
            SPECIAL_TOKENS_IN_TEXT: self.special_tokens_in_text,
            **_SPECIAL_TOKENS,
        }
        lines = "".join(f"{left} {right}\n" for left, right in self.merges)
        for name, content in (
            (VOCABULARY, json.dumps(tokens, ensure_ascii=False) + "\n"),
            (MERGES, f"#version: 0.2\n{lines}"),
            (_SETTINGS, json.dumps(settings, indent=2) + "\n"),
        ):
            artifacts.write_whole(pathlib.Path(directory) / name, content)


def read_byte_pair(directory):
    """Reads the settings of a byte-level BPE tokenizer.

    Vocabulary and merges are `vocab.json` and `merges.txt`, or else in
    `tokenizer.json`. Whether a prefix space is added is in
    `tokenizer_config.json` or `tokenizer.json`; without them it is not.

    Args:
        directory: `pathlib.Path`.

    Returns:
        `BytePairSettings`.

    Raises:
        ValueError: a file is missing or cannot be used; the message names it.
    """
    settings = _read_settings(directory / _SETTINGS)
    paths = directory / VOCABULARY, directory / MERGES
    fast = directory / _FAST_TOKENIZER
    in_fast = read_tokenizer_json(fast) if fast.is_file() else None
    if all(path.is_file() for path in paths):
        source, vocabulary, merges = directory / MERGES, *paths
    elif in_fast:
        source, (vocabulary, merges, _) = fast, in_fast
    else:
        raise ValueError(
            f"{directory} must hold {VOCABULARY} and {MERGES}, or "
            f"{_FAST_TOKENIZER}."
        )
    add_prefix_space = settings.get(_ADD_PREFIX_SPACE)
    if add_prefix_space is None:
        add_prefix_space = in_fast[2] if in_fast else False
    try:
        return BytePairSettings(
            vocabulary,
            merges,
            add_prefix_space,
            settings.get(SPECIAL_TOKENS_IN_TEXT, False),
        )
    except ValueError as error:
        if str(directory) in str(error):
            raise
        raise ValueError(f"{source}: {error}") from None


def _read_settings(path):
    settings = read_json(path) if path.is_file() else {}
    for key, token in _SPECIAL_TOKENS.items():
        value = settings.get(key) or token
        if isinstance(value, dict):  # An AddedToken, written out.
            value = value.get("content")
        if value != token:
            raise ValueError(
                f"{path}: `{key}` must be {token}. Received: {value!r}."
            )
    return settings


def _check_merges(vocabulary, merges):
    """What `BytePairMerges` relies on."""
    known = {*byte_characters()}
    for rank, merge in enumerate(merges):
        if len(merge) != 2 or not all(
            isinstance(token, str) and token for token in merge
        ):
            problem = "must be two tokens"
        elif "".join(merge) not in vocabulary:
            problem = "must make a token of the vocabulary"
        elif not {*merge} <= known:
            problem = "must be of bytes and of what earlier merges made"
        elif "".join(merge) in known:
            problem = "must make what no earlier merge made"
        else:
            known.add("".join(merge))
            continue
        raise ValueError(
            f"Merge {rank + 1} of {len(merges)} {problem}; take vocabulary "
            "and merges of one tokenizer. Received: "
            f"{' '.join(map(str, merge))!r}."
        )
