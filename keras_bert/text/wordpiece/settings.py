"""Settings of a word-piece tokenizer and their files, without TensorFlow."""

import dataclasses
import typing

from keras_bert import artifacts
from keras_bert import text
from keras_bert.config import check_flags
from keras_bert.config import read_json_file
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.base_vocabulary import check_token_settings
from keras_bert.text.base_vocabulary import token_settings
from keras_bert.text.base_vocabulary import tokens_in_order
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_beside
from keras_bert.text.wordpiece.vocabulary import ROLES
from keras_bert.text.wordpiece.vocabulary import Vocabulary

VOCABULARY, SETTINGS = FILES = ("vocab.txt", "tokenizer_config.json")


@dataclasses.dataclass(frozen=True)
class WordpieceSettings:
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

    Raises:
        ValueError: a setting is none that the tokenizer has.
    """

    kind: typing.ClassVar[str] = "wordpiece"

    vocabulary: Vocabulary
    lowercase: bool = True
    strip_accents: bool | None = None
    tokenize_chinese_chars: bool = True
    max_chars_per_word: int = 200
    special_tokens_in_text: bool = False

    def __post_init__(self):
        check_flags(special_tokens_in_text=self.special_tokens_in_text)
        if not self.tokenize_chinese_chars:
            raise ValueError(
                "`tokenize_chinese_chars` must be True: the word-piece op "
                "splits at Chinese characters by itself. Received: "
                f"tokenize_chinese_chars={self.tokenize_chinese_chars}."
            )
        if self.max_chars_per_word < 1:
            raise ValueError(
                "`max_chars_per_word` must be at least 1. Received: "
                f"max_chars_per_word={self.max_chars_per_word}."
            )
        if self.strip_accents is None:
            object.__setattr__(self, "strip_accents", self.lowercase)

    def tokenizer(self):
        """The `BertTokenizer`.

        Raises:
            ModuleNotFoundError: it needs a package that is not there.
        """
        return text.BertTokenizer(**vars(self))

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
        artifacts.write_json(directory / SETTINGS, values)


_FAST_TOKENIZER = "tokenizer.json"
# The same settings under the names of the normalizer in tokenizer.json.
_FAST_NAMES = {
    "do_lower_case": "lowercase",
    "strip_accents": "strip_accents",
    "tokenize_chinese_chars": "handle_chinese_chars",
}


class WordpieceKind:
    """Word pieces, whose casing a flag or a file beside them tells.

    Attributes:
        files: tuple of str, what is written, the vocabulary first.
        pieces: str, what its tokens are called.
        model_type: str, its name in a `tokenizer.json` that is read, or "".
        other_names: tuple of str, names that its vocabulary also has.
        mark: bytes, what is found in these files, where others have such too.
    """

    files = FILES
    pieces = "word pieces"
    model_type = ""
    other_names = ()
    mark = b""

    def read(self, directory, max_chars_per_word, lowercase=None):
        """Reads the settings of a word-piece tokenizer.

        The vocabulary is `vocab.txt` or in `tokenizer.json`. The casing is in
        `tokenizer_config.json`, in `tokenizer.json`, in the manifest of the
        vocabulary, or else told by the caller or by the table of the published
        vocabularies.

        Args:
            directory: `pathlib.Path`.
            max_chars_per_word: int, the limit where no file says otherwise.
            lowercase: bool, what the caller says of the casing, or None.

        Returns:
            `WordpieceSettings`.

        Raises:
            ValueError: a file is missing or cannot be used, nothing tells the
                casing, or two tell it otherwise.
        """
        settings = _read_if_there(directory / SETTINGS)
        fast = _read_if_there(directory / _FAST_TOKENIZER)
        try:
            vocabulary = _read_vocabulary(directory, fast)
            roles = vocabulary.roles
            check_token_settings(settings, roles, SETTINGS)
            claims = _told_casing(directory, settings, fast)
            claims["lowercase="] = lowercase
            return WordpieceSettings(
                vocabulary,
                agreed_casing(vocabulary, claims),
                _setting("strip_accents", settings, fast, None),
                _setting("tokenize_chinese_chars", settings, fast, True),
                settings.get("max_chars_per_word", max_chars_per_word),
                settings.get(SPECIAL_TOKENS_IN_TEXT, False),
            )
        except (TypeError, ValueError) as error:
            raise ValueError(f"{directory}: {error}") from None

    def vocabulary(self, vocab_file):
        """The `Vocabulary` of a `vocab.txt`."""
        return Vocabulary.from_file(vocab_file)

    def casing(self, vocab_file, claims, default=None):
        """Tell if texts are lower-cased, by all that say so.

        Args:
            vocab_file: str; what stands beside it counts too.
            claims, default: as `agreed_casing` takes them.

        Returns:
            bool
        """
        claims = {**claims, **casing_beside(vocab_file)}
        return agreed_casing(self.vocabulary(vocab_file), claims, default)

    def settings(self, vocab_file, lowercase):
        """The `WordpieceSettings` of a `vocab.txt` and a casing."""
        return WordpieceSettings(self.vocabulary(vocab_file), lowercase)

    def lowercased(self, settings):
        """The same settings, but that texts are lower-cased."""
        return dataclasses.replace(settings, lowercase=True)

    def facts(self, settings):
        """Facts for a manifest besides the vocabulary, a dict for JSON."""
        return {"do_lower_case": settings.lowercase}

    def described(self, settings):
        """Words for a model card besides the number of the pieces."""
        casing = "lower-cased" if settings.lowercase else "kept as written"
        accents = "dropped" if settings.strip_accents else "kept"
        found = ", special tokens in them found"
        found = found if settings.special_tokens_in_text else ""
        return f"texts are {casing}, accents {accents}{found}"

    def packed(self, settings):
        """All of the settings, a dict for JSON."""
        return {
            "vocabulary": [*settings.vocabulary.tokens],
            "lowercase": settings.lowercase,
            "strip_accents": settings.strip_accents,
            "max_chars_per_word": settings.max_chars_per_word,
            "special_tokens_in_text": settings.special_tokens_in_text,
        }

    def unpacked(self, values):
        """The settings that `packed` was given."""
        vocabulary = Vocabulary(values["vocabulary"])
        return WordpieceSettings(**{**values, "vocabulary": vocabulary})


def _read_if_there(path):
    return read_json_file(path) if path.is_file() else {}


def _read_vocabulary(directory, fast):
    if (directory / VOCABULARY).is_file():
        return Vocabulary.from_file(directory / VOCABULARY)
    model = fast.get("model", {})
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict):
        raise ValueError(
            f"{directory} must hold a {VOCABULARY}, or a {_FAST_TOKENIZER} "
            "with the vocabulary of a WordPiece model."
        )
    tokens = model["vocab"]
    for token in fast.get("added_tokens", []):
        tokens.setdefault(token["content"], token["id"])
    source = directory / _FAST_TOKENIZER
    return Vocabulary(tokens_in_order(tokens, source), str(source))


def _setting(name, settings, fast, default):
    normalizer = fast.get("normalizer") or {}
    for values, key in ((settings, name), (normalizer, _FAST_NAMES[name])):
        if values.get(key) is not None:
            if not isinstance(values[key], bool):
                raise ValueError(
                    f"`{key}` in {SETTINGS} or {_FAST_TOKENIZER} must be "
                    "true or false. "
                    f"Received: {values[key]!r}."
                )
            return values[key]
    return default


def _told_casing(directory, settings, fast):
    """Claims of the files; tokenizer.json is asked last, as transformers do."""
    told = _setting("do_lower_case", settings, fast, None)
    by_settings = told is None or settings.get("do_lower_case") is not None
    return {
        str(directory / (SETTINGS if by_settings else _FAST_TOKENIZER)): told,
        **casing_beside(directory / VOCABULARY),
    }
