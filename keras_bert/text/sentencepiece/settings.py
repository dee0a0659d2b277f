"""Settings of a SentencePiece tokenizer, without TensorFlow."""

import dataclasses
import itertools

from keras_bert import artifacts
from keras_bert import checks
from keras_bert.config import read_json_file
from keras_bert.template import Template
from keras_bert.text.added_token_files import refuse_added_tokens
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.base_vocabulary import check_token_settings
from keras_bert.text.base_vocabulary import token_settings
from keras_bert.text.casing import agreed_casing
from keras_bert.text.fast_tokenizer import FAST_TOKENIZER
from keras_bert.text.fast_tokenizer import tokenizer_json
from keras_bert.text.normalization.normalizers import MODEL
from keras_bert.text.normalization.normalizers import composing_charsmap
from keras_bert.text.sentencepiece.tokenizer_json import fast_parts
from keras_bert.text.sentencepiece.tokenizer_json import from_tokenizer_json
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary
from keras_bert.text.sentencepiece.words import ALBERT
from keras_bert.text.sentencepiece.words import ALL_WORDS
from keras_bert.text.sentencepiece.words import XLM_ROBERTA
from keras_bert.text.tokenizer_settings import CasedTokenizer

_MODELS = tuple(name for words in ALL_WORDS for name in words.files)
_SETTINGS = "tokenizer_config.json"
_CASING, _ACCENTS = "do_lower_case", "keep_accents"


@dataclasses.dataclass(frozen=True)
class SentencePieceSettings(CasedTokenizer):
    """The settings of a `SentencePieceTokenizer`.

    Args:
        vocabulary: `SentencePieceVocabulary`.
        lowercase: bool, lower-case the text; by default if ALBERT's.
        normalizer: str, `MODEL` or a key of `NORMALIZERS`: whose rules it
            follows; by default those of the vocabulary's words.
        special_tokens_in_text: bool, a special token that is written in a
            text becomes its id.

    Raises:
        ValueError: a text is to be changed before the model's own rules
            are followed only.
    """

    kind = "sentencepiece"
    tokenizer_class = "SentencePieceTokenizer"
    files = (
        *("spiece.model", "spm.model", "sentencepiece.bpe.model"),
        *(_SETTINGS, FAST_TOKENIZER),
    )
    pieces = "SentencePiece pieces"
    model_type = "Unigram"
    other_names = _MODELS

    vocabulary: SentencePieceVocabulary
    lowercase: bool | None = None
    normalizer: str | None = None
    special_tokens_in_text: bool = checks.field(False, checks.flag)

    def __post_init__(self):
        super().__post_init__()
        words = self.vocabulary.words
        if self.normalizer is None:
            object.__setattr__(self, "normalizer", words.normalizer)
        follows_model = self.normalizer == MODEL
        if self.lowercase is None:
            object.__setattr__(self, "lowercase", not follows_model)
        if follows_model and self.lowercase:
            raise ValueError(
                "`lowercase` must be false for a tokenizer that follows the "
                "rules of its model only, such as a "
                f"{words.tokenizer_class}. Received: lowercase=True."
            )

    @classmethod
    def _read(cls, directory, lowercase=None):
        return read_sentencepiece(directory, lowercase)

    def save(self, directory):
        """Writes the files that the tokenizer of transformers reads.

        Args:
            directory: `pathlib.Path`, existing.
        """
        words = self.vocabulary.words
        self.vocabulary.save(directory / words.files[0])
        values = {
            "tokenizer_class": words.tokenizer_class,
            _CASING: self.lowercase,
            _ACCENTS: self.normalizer == MODEL,
            "remove_space": True,
            SPECIAL_TOKENS_IN_TEXT: self.special_tokens_in_text,
            "bos_token": words.roles["cls"],
            "eos_token": words.roles["sep"],
            **token_settings(words.roles),
        }
        template = Template(pair=words.pair)
        fast = tokenizer_json(self, self.fast_tokens, template)
        for name, content in ((_SETTINGS, values), (FAST_TOKENIZER, fast)):
            artifacts.write_json(directory / name, content, 1, False)

    def fast_parts(self):
        """The parts of the `tokenizer.json` that cut texts, a dict."""
        return fast_parts(self.vocabulary, self.lowercase, self.normalizer)


def read_sentencepiece(directory, lowercase=None):
    """Reads the settings of a directory that holds an ALBERT or another.

    The model is `spiece.model`, `30k-clean.model` as in the downloads of
    google-research/albert, `spm.model` of a DeBERTa, `sentencepiece.bpe.model`
    of an XLM-RoBERTa, or else in `tokenizer.json`. Of an ALBERT, the casing
    is in `tokenizer_config.json`, in `tokenizer.json`, or told by the caller;
    where nothing tells it, texts are lower-cased, as by google-research/albert
    and `transformers`. Where there is a `tokenizer.json`, it says whose rules
    make of a text what is cut; without it those of google-research are
    followed. The others follow the rules of their model only.

    Args:
        directory: `pathlib.Path`.
        lowercase: bool, what the caller says of the casing, or None.

    Returns:
        `SentencePieceSettings`.

    Raises:
        ValueError: a file is missing or cannot be used, or two are not of
            one tokenizer or tell the casing otherwise.
    """
    path = directory / FAST_TOKENIZER
    fast = None
    if path.is_file():
        fast = from_tokenizer_json(read_json_file(path), str(path))
    vocabulary = _read_vocabulary(directory, fast)
    refuse_added_tokens(directory, vocabulary)
    words = vocabulary.words
    settings = _read_settings(directory / _SETTINGS, words)
    if words is XLM_ROBERTA:  # Its class in transformers ignores the key.
        settings[_CASING] = None
    lowercase = agreed_casing(
        vocabulary,
        {
            directory / _SETTINGS: settings[_CASING],
            path: fast.lowercase if fast else None,
            "lowercase=": lowercase,
        },
        default=words is ALBERT,
    )
    normalizer = fast.normalizer if fast else words.normalizer
    return SentencePieceSettings(
        vocabulary,
        lowercase,
        normalizer,
        settings[SPECIAL_TOKENS_IN_TEXT] or False,
    )


def _read_vocabulary(directory, fast):
    fast_source = str(directory / FAST_TOKENIZER)
    for name in _MODELS:
        if (directory / name).is_file():
            vocabulary = SentencePieceVocabulary.from_file(directory / name)
            if fast:
                _check_same(vocabulary, fast.vocabulary, name, fast_source)
            return vocabulary
    if not fast:
        raise ValueError(
            f"{directory} must hold a {', a '.join(_MODELS)} or a "
            f"{FAST_TOKENIZER}."
        )
    return fast.vocabulary


def _check_same(vocabulary, fast_vocabulary, name, fast_source):
    texts, others = vocabulary.tokens, fast_vocabulary.tokens
    model, fast_model = vocabulary.model, fast_vocabulary.model
    # Some releases of transformers leave the table out.
    lacking = fast_model.charsmap in (b"", composing_charsmap())
    may_lack = vocabulary.words is not ALBERT and lacking
    if texts != others:
        pairs = enumerate(itertools.zip_longest(texts, others))
        index, (one, other) = next((n, p) for n, p in pairs if p[0] != p[1])
        problem = f"{other!r} with id {index}, where that has {one!r}"
    elif model.charsmap != fast_model.charsmap and not may_lack:
        problem = "another table of replacements (Precompiled)"
    else:
        return
    raise ValueError(
        f"{fast_source} must be of the same tokenizer as the {name} beside "
        f"it; take away the one that is not the model's. Received: {problem}."
    )


def _read_settings(path, words):
    settings = read_json_file(path) if path.is_file() else {}
    keys = (_CASING, _ACCENTS, SPECIAL_TOKENS_IN_TEXT)
    values = {key: settings.get(key) for key in keys}
    for key, value in values.items():
        if value is not None and not isinstance(value, bool):
            raise ValueError(
                f"{path}: `{key}` must be true or false. Received: {value!r}."
            )
    if values[_ACCENTS] and words is ALBERT:
        raise ValueError(
            f"{path}: `{_ACCENTS}` must be false, for the graph drops the "
            "accents as ALBERT does. Received: true."
        )
    check_token_settings(settings, words.roles, path)
    return values
