"""Settings of a BPE tokenizer over characters, without TensorFlow."""

import dataclasses
import os

from keras_bert import artifacts
from keras_bert import checks
from keras_bert.config import read_json_file
from keras_bert.text.added_token_files import refuse_added_tokens
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.base_vocabulary import TOKEN_KEYS
from keras_bert.text.base_vocabulary import token_settings
from keras_bert.text.base_vocabulary import told_token
from keras_bert.text.bpe.vocabulary import ROLES
from keras_bert.text.bpe.vocabulary import WORD_END
from keras_bert.text.bpe.vocabulary import BpeVocabulary
from keras_bert.text.byte_pair.files import read_merges_txt
from keras_bert.text.byte_pair.files import read_vocab_json
from keras_bert.text.byte_pair.files import to_merges_txt
from keras_bert.text.byte_pair.files import tokens_and_merges
from keras_bert.text.byte_pair.settings import check_merges
from keras_bert.text.fast_tokenizer import FAST_TOKENIZER
from keras_bert.text.fast_tokenizer import check_parts
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer

# Of Hugging Face, and of openai/finetune-transformer-lm.
NAMES = (
    ("vocab.json", "merges.txt"),
    ("encoder_bpe_40000.json", "vocab_40000.bpe"),
)
_SETTINGS = "tokenizer_config.json"
_NORMALIZER = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
_MODEL = {"type": "BPE", "end_of_word_suffix": WORD_END, "fuse_unk": False}
# The supported settings of a `tokenizer.json`.
_PARTS = {
    "normalizer": {key: (None, value) for key, value in _NORMALIZER.items()},
    "pre_tokenizer": {"type": ("BertPreTokenizer",)},
    "model": {key: (None, value) for key, value in _MODEL.items()},
}


@dataclasses.dataclass(frozen=True)
class BpeSettings(FileDefinedTokenizer):
    """The settings of a `BpeTokenizer`, checked.

    Args:
        vocabulary: `BpeVocabulary`, or the path of a `vocab.json`.
        merges: pairs of tokens in the order of their ranks, or the path of a
            `merges.txt`.
        special_tokens_in_text: bool, a special token that is written in a
            text becomes its id.

    Raises:
        ValueError: a merge is not of tokens of the vocabulary, or they stand
            in an order in which they cannot have been learned.
    """

    kind = "bpe"
    tokenizer_class = "BpeTokenizer"
    files = ("vocab.json", "merges.txt", "tokenizer_config.json")
    pieces = "BPE pieces"
    model_type = "BPE"
    # The others are of openai/finetune-transformer-lm.
    other_names = ("merges.txt", "encoder_bpe_40000.json", "vocab_40000.bpe")
    mark = rb'[^"<>/]</w>'

    vocabulary: BpeVocabulary
    merges: tuple = dataclasses.field(repr=False)
    special_tokens_in_text: bool = checks.field(False, checks.flag)

    def __post_init__(self):
        vocabulary, merges = self.vocabulary, self.merges
        if not isinstance(vocabulary, BpeVocabulary):
            source, tokens = str(vocabulary), read_vocab_json(vocabulary)
            vocabulary = BpeVocabulary(tokens, source)
        if isinstance(merges, str | os.PathLike):
            merges = read_merges_txt(merges)
        super().__post_init__()
        object.__setattr__(self, "vocabulary", vocabulary)
        object.__setattr__(self, "merges", tuple(map(tuple, merges)))
        tokens = vocabulary.tokens
        known = {t for t in tokens if len(t.removesuffix(WORD_END)) == 1}
        check_merges(vocabulary, self.merges, known)

    @classmethod
    def _read(cls, directory):
        return read_bpe(directory)

    def save(self, directory):
        """Writes the files that `transformers` reads, each whole or not.

        Args:
            directory: `pathlib.Path`, existing.
        """
        vocabulary, merges = NAMES[0]
        tokens = {t: index for index, t in enumerate(self.vocabulary.tokens)}
        settings = {
            "tokenizer_class": "OpenAIGPTTokenizer",
            SPECIAL_TOKENS_IN_TEXT: self.special_tokens_in_text,
            **token_settings(self.vocabulary.roles),
        }
        artifacts.write_json(directory / vocabulary, tokens, None, False)
        artifacts.write_whole(directory / merges, to_merges_txt(self.merges))
        artifacts.write_json(directory / _SETTINGS, settings)

    def fast_parts(self):
        """The parts of the `tokenizer.json` that cut texts, a dict."""
        return {
            "normalizer": _NORMALIZER,
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "decoder": {"type": "BPEDecoder", "suffix": WORD_END},
            "model": {
                **_MODEL,
                "unk_token": self.vocabulary.roles["unknown"],
                "vocab": {t: n for n, t in enumerate(self.vocabulary.tokens)},
                "merges": [[*merge] for merge in self.merges],
            },
        }


def read_bpe(directory):
    """Reads the settings of a BPE tokenizer over characters.

    Vocabulary and merges are `vocab.json` and `merges.txt`, or
    `encoder_bpe_40000.json` and `vocab_40000.bpe`, or in `tokenizer.json`.
    Special tokens besides the unknown one are in `tokenizer_config.json`.

    Args:
        directory: `pathlib.Path`.

    Returns:
        `BpeSettings`.

    Raises:
        ValueError: a file is missing or cannot be used; the message names it.
    """
    path = directory / _SETTINGS
    settings = read_json_file(path) if path.is_file() else {}
    told = {role: told_token(settings, k) for k, role in TOKEN_KEYS.items()}
    told = {role: token for role, token in told.items() if token}
    source, tokens, merges = _read_pieces(directory)
    try:
        vocabulary = BpeVocabulary(tokens, str(source), {**ROLES, **told})
        refuse_added_tokens(directory, vocabulary)
        return BpeSettings(
            vocabulary,
            merges,
            settings.get(SPECIAL_TOKENS_IN_TEXT, False),
        )
    except ValueError as error:
        if str(directory) in str(error):
            raise
        raise ValueError(f"{source}: {error}") from None


def _read_pieces(directory):
    """Their place, the tokens and the merges."""
    for names in NAMES:
        vocabulary, merges = (directory / name for name in names)
        if vocabulary.is_file() and merges.is_file():
            return vocabulary, read_vocab_json(vocabulary), merges
    path = directory / FAST_TOKENIZER
    if not path.is_file():
        raise ValueError(
            f"{directory} must hold {' and '.join(NAMES[0])}, or "
            f"{FAST_TOKENIZER}."
        )
    return path, *_read_fast(path)


def _read_fast(path):
    """The tokens and the merges of a `tokenizer.json`."""
    values = read_json_file(path)
    check_parts(path, values, _PARTS, "GPT-1")
    return tokens_and_merges(values, path)
