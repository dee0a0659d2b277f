"""Settings of a word-piece tokenizer and their files, without TensorFlow."""

import dataclasses

from keras_bert import artifacts
from keras_bert import checks
from keras_bert.config import read_json_file
from keras_bert.text.added_token_files import read_added_tokens
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.base_vocabulary import check_token_settings
from keras_bert.text.base_vocabulary import special_tokens
from keras_bert.text.base_vocabulary import token_settings
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_beside
from keras_bert.text.fast_tokenizer import FAST_TOKENIZER
from keras_bert.text.fast_tokenizer import added_tokens_json
from keras_bert.text.fast_tokenizer import check_parts
from keras_bert.text.tokenizer_settings import CasedTokenizer
from keras_bert.text.wordpiece.vocabulary import ROLES
from keras_bert.text.wordpiece.vocabulary import Vocabulary

VOCABULARY, SETTINGS = FILES = ("vocab.txt", "tokenizer_config.json")


@dataclasses.dataclass(frozen=True)
class WordpieceSettings(CasedTokenizer):
    """The settings of a `BertTokenizer`, checked.

    Args:
        vocabulary: `Vocabulary`.
        lowercase: bool, lower-case the text.
        strip_accents: bool, drop the accents; as `lowercase` by default.
        tokenize_chinese_chars: bool, must be True: each Chinese character is
            a word.
        max_chars_per_word: int, longer words are [UNK].
        special_tokens_in_text: bool, a special token that is written in a
            text becomes its id.
        added_tokens: sequence of `AddedToken`, tokens of the vocabulary that
            are found in texts before these are cut into words.

    Raises:
        ValueError: a setting is none that the tokenizer has.
    """

    kind = "wordpiece"
    tokenizer_class = "BertTokenizer"
    files = FILES
    pieces = "word pieces"

    vocabulary: Vocabulary
    lowercase: bool = True
    strip_accents: bool | None = None
    tokenize_chinese_chars: bool = True
    max_chars_per_word: int = checks.field(200, checks.at_least, 1)
    special_tokens_in_text: bool = checks.field(False, checks.flag)
    added_tokens: tuple = ()

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "added_tokens", (*self.added_tokens,))
        for token in self.added_tokens:
            if not token.text or token.text not in self.vocabulary:
                raise ValueError(
                    "`added_tokens` must be tokens of the vocabulary. "
                    f"Received: {token.text!r}."
                )
        if not self.tokenize_chinese_chars:
            raise ValueError(
                "`tokenize_chinese_chars` must be True: the word-piece op "
                "splits at Chinese characters by itself. Received: "
                f"tokenize_chinese_chars={self.tokenize_chinese_chars}."
            )
        if self.strip_accents is None:
            object.__setattr__(self, "strip_accents", self.lowercase)

    @property
    def found_tokens(self):
        """The added tokens that are found in texts."""
        is_any = self.special_tokens_in_text
        return [t for t in self.added_tokens if is_any or not t.is_special]

    @classmethod
    def read(cls, directory, max_chars_per_word, lowercase=None):
        """Read the settings of a directory.

        The vocabulary is `vocab.txt` or in `tokenizer.json`, whose other rules
        must be BERT's. Added tokens are read too. The casing is in
        `tokenizer_config.json`, in `tokenizer.json`, in the manifest of the
        vocabulary, an argument, or in the table of published vocabularies.
        """
        settings = _read_if_there(directory / SETTINGS)
        fast = _read_if_there(directory / FAST_TOKENIZER)
        try:
            vocabulary, added = _read_vocabulary(directory, fast)
            if fast:
                _check_rules(fast, vocabulary)
            check_token_settings(settings, vocabulary.roles, SETTINGS)
            casing_hints = _casing_hints(directory, settings, fast)
            casing_hints["lowercase="] = lowercase
            return cls(
                vocabulary,
                agreed_casing(vocabulary, casing_hints),
                _setting("strip_accents", settings, fast, None),
                _setting("tokenize_chinese_chars", settings, fast, True),
                _max_chars(settings, fast, max_chars_per_word),
                settings.get(SPECIAL_TOKENS_IN_TEXT, False),
                added,
            )
        except (TypeError, ValueError) as error:
            raise ValueError(f"{directory}: {error}") from None

    @classmethod
    def read_vocabulary(cls, vocab_file):
        """Read a `vocab.txt` of any name."""
        return Vocabulary.from_file(vocab_file)

    @classmethod
    def casing(cls, vocab_file, casing_hints, default=None):
        """Tell if texts are lower-cased, see `FileDefinedTokenizer`."""
        casing_hints = {**casing_hints, **casing_beside(vocab_file)}
        vocabulary = cls.read_vocabulary(vocab_file)
        return agreed_casing(vocabulary, casing_hints, default)

    @classmethod
    def for_corpus(cls, vocab_file, lowercase):
        """Make the settings of a `vocab.txt` and a casing."""
        return cls(cls.read_vocabulary(vocab_file), lowercase)

    def facts(self):
        """Return facts for a manifest besides the vocabulary, a dict."""
        return {"do_lower_case": self.lowercase}

    def described(self):
        """Return a description for a model card, a str."""
        casing = "lower-cased" if self.lowercase else "kept as written"
        accents = "dropped" if self.strip_accents else "kept"
        found = ", special tokens in them found"
        found = found if self.special_tokens_in_text else ""
        return f"texts are {casing}, accents {accents}{found}"

    def packed(self):
        """Return all settings, a dict for JSON."""
        values = {**vars(self), "vocabulary": [*self.vocabulary.tokens]}
        del values["tokenize_chinese_chars"]
        if not self.added_tokens:
            del values["added_tokens"]
        return values

    @classmethod
    def unpacked(cls, values):
        """Make the settings of the dict that `packed` returned."""
        added = [AddedToken(*token) for token in values.get("added_tokens", ())]
        vocabulary = Vocabulary(values["vocabulary"])
        values = {**values, "vocabulary": vocabulary, "added_tokens": added}
        return cls(**values)

    def save(self, directory):
        """Writes vocabulary and settings so that `transformers` reads them too.

        Args:
            directory: `pathlib.Path`, existing.
        """
        self.vocabulary.save(directory / VOCABULARY)
        values = {
            "tokenizer_class": "BertTokenizer"
            if self.vocabulary.roles == ROLES
            else "MPNetTokenizer",
            "do_lower_case": self.lowercase,
            "strip_accents": self.strip_accents,
            "tokenize_chinese_chars": True,
            "max_chars_per_word": self.max_chars_per_word,
            SPECIAL_TOKENS_IN_TEXT: self.special_tokens_in_text,
            **token_settings(self.vocabulary.roles),
        }
        if self.added_tokens:
            entries = added_tokens_json(self.vocabulary, self.added_tokens)
            values["added_tokens_decoder"] = {e.pop("id"): e for e in entries}
        artifacts.write_json(directory / SETTINGS, values)

    @property
    def fast_tokens(self):
        """The added tokens of the `tokenizer.json`."""
        roles = self.vocabulary.roles
        return [
            *special_tokens(roles, mask_takes_space=False),
            *self.added_tokens,
        ]

    def fast_parts(self):
        """The parts of the `tokenizer.json` that cut texts, a dict."""
        return {
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": self.strip_accents,
                "lowercase": self.lowercase,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
            "model": {
                "type": "WordPiece",
                "unk_token": self.vocabulary.roles["unknown"],
                "continuing_subword_prefix": "##",
                _MAX_CHARS: self.max_chars_per_word,
                "vocab": {t: n for n, t in enumerate(self.vocabulary.tokens)},
            },
        }


_MAX_CHARS = "max_input_chars_per_word"
# The same settings under the names of the normalizer in tokenizer.json.
_FAST_NAMES = {
    "do_lower_case": "lowercase",
    "strip_accents": "strip_accents",
    "tokenize_chinese_chars": "handle_chinese_chars",
}


def _read_if_there(path):
    return read_json_file(path) if path.is_file() else {}


def _read_vocabulary(directory, fast):
    """Read the vocabulary with the added tokens, and list these."""
    path = directory / VOCABULARY
    if path.is_file():
        vocabulary = Vocabulary.from_file(path)
    else:
        path = directory / FAST_TOKENIZER
        vocabulary = Vocabulary(_fast_tokens(directory, fast), str(path))
    ids = {token: vocabulary.id_of(token) for token in vocabulary.tokens}
    new, added = read_added_tokens(directory, ids, vocabulary.roles)
    if new:
        vocabulary = Vocabulary([*vocabulary.tokens, *new], str(path))
    return vocabulary, added


def _fast_tokens(directory, fast):
    """List the tokens of a `tokenizer.json`; ids without a token have ""."""
    ids = (fast.get("model") or {}).get("vocab")
    if not isinstance(ids, dict):
        raise ValueError(
            f"{directory} must hold a {VOCABULARY}, or a {FAST_TOKENIZER} "
            "with the vocabulary of a WordPiece model."
        )
    added = {e["content"]: e["id"] for e in fast.get("added_tokens") or []}
    tokens = {index: token for token, index in {**added, **ids}.items()}
    if len(tokens) < len({**added, **ids}):
        raise ValueError(f"{FAST_TOKENIZER} must give each token its own id.")
    return [
        tokens.get(index, "") for index in range(max(tokens, default=-1) + 1)
    ]


def _check_rules(fast, vocabulary):
    """Raise ValueError if a `tokenizer.json` is not of BERT's rules.

    Args:
        fast: dict, the content of the file.
        vocabulary: `Vocabulary` of the directory.
    """
    unknown = vocabulary.roles["unknown"]
    expected = {
        "model": {
            "type": (None, "WordPiece"),
            "continuing_subword_prefix": (None, "##"),
            "unk_token": (None, unknown),
        },
        "pre_tokenizer": {"type": ("BertPreTokenizer",)},
        "normalizer": {"type": ("BertNormalizer",), "clean_text": (None, True)},
    }
    try:
        check_parts(FAST_TOKENIZER, fast, expected, "BERT")
    except ValueError as error:
        raise ValueError(
            f"{error} If the model was trained with these rules, tokenize with "
            "the package `tokenizers` and pass ids to the encoder; else keep "
            f"{VOCABULARY} and delete {FAST_TOKENIZER}."
        ) from None
    for token, index in fast["model"].get("vocab", {}).items():
        if token in vocabulary and vocabulary.id_of(token) != index:
            raise ValueError(
                f"{VOCABULARY} and {FAST_TOKENIZER} must give a token the "
                f"same id. Received: {vocabulary.id_of(token)} and {index} for "
                f"{token!r}. Delete the file that is not the model's."
            )


def _max_chars(settings, fast, default):
    value = (fast.get("model") or {}).get(_MAX_CHARS, default)
    return settings.get("max_chars_per_word", value)


def _setting(name, settings, fast, default):
    normalizer = fast.get("normalizer") or {}
    for values, key in ((settings, name), (normalizer, _FAST_NAMES[name])):
        if values.get(key) is not None:
            if not isinstance(values[key], bool):
                raise ValueError(
                    f"`{key}` in {SETTINGS} or {FAST_TOKENIZER} must be "
                    "true or false. "
                    f"Received: {values[key]!r}."
                )
            return values[key]
    return default


def _casing_hints(directory, settings, fast):
    """Return the hints of the files; tokenizer.json comes last."""
    told = _setting("do_lower_case", settings, fast, None)
    by_settings = told is None or settings.get("do_lower_case") is not None
    return {
        str(directory / (SETTINGS if by_settings else FAST_TOKENIZER)): told,
        **casing_beside(directory / VOCABULARY),
    }
