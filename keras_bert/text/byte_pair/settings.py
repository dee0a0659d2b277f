"""Settings of a byte-level BPE tokenizer, without TensorFlow."""

import dataclasses
import json
import os
import pathlib

from keras_bert import artifacts
from keras_bert import checks
from keras_bert.config import read_json_file
from keras_bert.template import Template
from keras_bert.text.added_token_files import read_added_tokens
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.base_vocabulary import TOKEN_KEYS
from keras_bert.text.base_vocabulary import special_tokens
from keras_bert.text.base_vocabulary import token_settings
from keras_bert.text.base_vocabulary import told_token
from keras_bert.text.byte_pair.files import NFC
from keras_bert.text.byte_pair.files import read_merges_txt
from keras_bert.text.byte_pair.files import read_tokenizer_json
from keras_bert.text.byte_pair.files import read_vocab_json
from keras_bert.text.byte_pair.files import supported_properties
from keras_bert.text.byte_pair.files import to_merges_txt
from keras_bert.text.byte_pair.vocabulary import ROLES
from keras_bert.text.byte_pair.vocabulary import BytePairVocabulary
from keras_bert.text.byte_pair.vocabulary import byte_characters
from keras_bert.text.fast_tokenizer import FAST_TOKENIZER
from keras_bert.text.fast_tokenizer import tokenizer_json
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer
from keras_bert.text.wordpiece.vocabulary import ROLES as BERT_ROLES

VOCABULARY = "vocab.json"
MERGES = "merges.txt"
_SETTINGS = "tokenizer_config.json"
_ADD_PREFIX_SPACE = "add_prefix_space"


@dataclasses.dataclass(frozen=True)
class BytePairSettings(FileDefinedTokenizer):
    """The settings of a `BytePairTokenizer`, checked.

    Args:
        vocabulary: `BytePairVocabulary`, or the path of a `vocab.json`.
        merges: pairs of tokens in the order of their ranks, or the path of a
            `merges.txt`.
        add_prefix_space: bool, a text that begins with no space is given one.
        special_tokens_in_text: bool, a special token that is written in a
            text becomes its id.
        normalizer: str, "NFC", or None: texts are cut as they are.
        added_tokens: sequence of `AddedToken`, to which the special tokens of
            the vocabulary's roles are added where they are missing.

    Raises:
        ValueError: a merge is not of tokens of the vocabulary, or they stand
            in an order in which they cannot have been learned; or an added
            token is none of the vocabulary.
    """

    kind = "byte_bpe"
    tokenizer_class = "BytePairTokenizer"
    files = (VOCABULARY, MERGES, _SETTINGS, FAST_TOKENIZER)
    pieces = "byte-level BPE pieces"
    model_type = "BPE"
    other_names = (MERGES,)

    vocabulary: BytePairVocabulary
    merges: tuple = dataclasses.field(repr=False)
    add_prefix_space: bool = checks.field(False, checks.flag)
    special_tokens_in_text: bool = checks.field(False, checks.flag)
    normalizer: str | None = None
    added_tokens: tuple = ()

    def __post_init__(self):
        vocabulary, merges = self.vocabulary, self.merges
        if not isinstance(vocabulary, BytePairVocabulary):
            source, tokens = str(vocabulary), read_vocab_json(vocabulary)
            vocabulary = BytePairVocabulary(tokens, source)
        if isinstance(merges, str | os.PathLike):
            merges = read_merges_txt(merges)
        super().__post_init__()
        if self.normalizer not in (None, NFC):
            raise ValueError(
                f'`normalizer` must be "{NFC}" or None. Received: '
                f"normalizer={self.normalizer!r}."
            )
        added = _with_roles(self.added_tokens, vocabulary)
        object.__setattr__(self, "added_tokens", added)
        object.__setattr__(self, "vocabulary", vocabulary)
        object.__setattr__(self, "merges", tuple(map(tuple, merges)))
        known = {c for c in byte_characters() if c in vocabulary}
        check_merges(vocabulary, self.merges, known)

    @classmethod
    def _read(cls, directory):
        return read_byte_pair(directory)

    def save(self, directory):
        """Writes the files that `transformers` reads, each whole or not.

        They are `vocab.json`, `merges.txt` and `tokenizer_config.json`; and
        `tokenizer.json` of a tokenizer that cuts otherwise than RoBERTa's.

        Args:
            directory: `pathlib.Path`, existing.
        """
        tokens = {t: index for index, t in enumerate(self.vocabulary.tokens)}
        roles = self.vocabulary.roles
        is_own = roles == ROLES and not self.normalizer
        is_own = is_own and all(t.is_special for t in self.added_tokens)
        kind = "RobertaTokenizer" if is_own else "PreTrainedTokenizerFast"
        settings = {
            "tokenizer_class": kind,
            _ADD_PREFIX_SPACE: self.add_prefix_space,
            SPECIAL_TOKENS_IN_TEXT: self.special_tokens_in_text,
            "bos_token": roles["cls"],
            "eos_token": roles["sep"],
            **token_settings(roles),
        }
        contents = {
            VOCABULARY: json.dumps(tokens, ensure_ascii=False) + "\n",
            MERGES: to_merges_txt(self.merges),
            _SETTINGS: json.dumps(settings, indent=2) + "\n",
        }
        if not is_own:
            template = Template(pair="cls A sep B sep")
            fast = tokenizer_json(self, self.added_tokens, template)
            fast = json.dumps(fast, ensure_ascii=False)
            contents[FAST_TOKENIZER] = fast + "\n"
        for name, content in contents.items():
            artifacts.write_whole(pathlib.Path(directory) / name, content)

    @property
    def fast_tokens(self):
        """The added tokens of the `tokenizer.json`."""
        return self.added_tokens

    def fast_parts(self):
        """The parts of the `tokenizer.json` that cut texts, a dict."""
        byte_level = {
            "type": "ByteLevel",
            "add_prefix_space": self.add_prefix_space,
            "trim_offsets": True,
            "use_regex": True,
        }
        return {
            "normalizer": self.normalizer and {"type": self.normalizer},
            "pre_tokenizer": byte_level,
            "decoder": byte_level,
            "model": {
                "type": "BPE",
                "vocab": {t: n for n, t in enumerate(self.vocabulary.tokens)},
                "merges": [" ".join(merge) for merge in self.merges],
            },
        }


def read_byte_pair(directory):
    """Reads the settings of a byte-level BPE tokenizer.

    Vocabulary and merges are `vocab.json` and `merges.txt`, or else in
    `tokenizer.json`, which also tells normalizer and added tokens. Whether a
    prefix space is added is in `tokenizer_config.json` or `tokenizer.json`;
    without them it is not. Which tokens play the roles is in
    `tokenizer_config.json`; without it they are RoBERTa's, or BERT's.

    Args:
        directory: `pathlib.Path`.

    Returns:
        `BytePairSettings`.

    Raises:
        ValueError: a file is missing or cannot be used; the message names it.
    """
    path = directory / _SETTINGS
    settings = read_json_file(path) if path.is_file() else {}
    fast = directory / FAST_TOKENIZER
    told = read_tokenizer_json(fast) if fast.is_file() else None
    if all((directory / name).is_file() for name in (VOCABULARY, MERGES)):
        source, merges = directory / MERGES, directory / MERGES
        tokens = read_vocab_json(directory / VOCABULARY)
        of_tokens = directory / VOCABULARY
    elif told:
        source, of_tokens, tokens, merges = fast, fast, told.tokens, told.merges
    else:
        raise ValueError(
            f"{directory} must hold {VOCABULARY} and {MERGES}, or "
            f"{FAST_TOKENIZER}."
        )
    normalizer = told.normalizer if told else None
    ids = {token: index for index, token in enumerate(tokens)}
    new, listed = read_added_tokens(
        directory, ids, ROLES, supported_properties(bool(normalizer))
    )
    tokens = [*tokens, *new]
    added = {token.text: token for token in listed}
    added |= {t.text: t for t in (told.added_tokens if told else ())}
    add_prefix_space = settings.get(_ADD_PREFIX_SPACE)
    if add_prefix_space is None:
        add_prefix_space = told.add_prefix_space if told else False
    roles = _read_roles(settings, path, tokens)
    try:
        return BytePairSettings(
            BytePairVocabulary(tokens, str(of_tokens), roles),
            merges,
            add_prefix_space,
            settings.get(SPECIAL_TOKENS_IN_TEXT, False),
            normalizer,
            (*added.values(),),
        )
    except ValueError as error:
        if str(directory) in str(error):
            raise
        raise ValueError(f"{source}: {error}") from None


def _read_roles(settings, path, tokens):
    """The roles that are told, and those left of RoBERTa's or BERT's."""
    told = {}
    for key, role in TOKEN_KEYS.items():
        value = told_token(settings, key)
        if value and value not in tokens:
            raise ValueError(
                f"{path}: `{key}` must be a token of the vocabulary. "
                f"Received: {value!r}."
            )
        if value:
            told[role] = value
    for roles in (ROLES, BERT_ROLES):
        if {*{**roles, **told}.values()} <= {*tokens}:
            return {**roles, **told}
    return {**ROLES, **told}


def _with_roles(added, vocabulary):
    """Added tokens, and special ones for the roles that they lack."""
    known = {token.text for token in added}
    missing = [*filter(lambda x: not x or x not in vocabulary, known)]
    if missing:
        raise ValueError(
            "An added token must be one of the vocabulary. Received: "
            f"{missing[0]!r}."
        )
    roles = special_tokens(vocabulary.roles)
    return (*added, *(token for token in roles if token.text not in known))


def check_merges(vocabulary, merges, known):
    """Checks all that `Merges` relies on.

    Args:
        vocabulary: a vocabulary.
        merges: sequence of pairs of tokens.
        known: set of str, the symbols that they begin with; those that they
            make are added.

    Raises:
        ValueError: a merge is not of what is known before it, or makes what
            is known already or no token.
    """
    for rank, merge in enumerate(merges):
        if len(merge) != 2 or not all(
            isinstance(token, str) and token for token in merge
        ):
            problem = "must be two tokens"
        elif "".join(merge) not in vocabulary:
            problem = "must make a token of the vocabulary"
        elif not {*merge} <= known:
            problem = "must be of symbols and of what earlier merges made"
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
