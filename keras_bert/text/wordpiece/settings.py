"""Settings of a word-piece tokenizer, without TensorFlow."""

import dataclasses
import typing

from keras_bert import artifacts
from keras_bert import text
from keras_bert.config import check_flags
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.base_vocabulary import token_settings
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
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": self.lowercase,
            "strip_accents": self.strip_accents,
            "tokenize_chinese_chars": True,
            "max_chars_per_word": self.max_chars_per_word,
            SPECIAL_TOKENS_IN_TEXT: self.special_tokens_in_text,
            **token_settings(ROLES),
        }
        artifacts.write_json(directory / SETTINGS, values)
