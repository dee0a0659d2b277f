"""Settings and files of a WordPiece tokenizer."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.files.atomic import write_json
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.base_vocabulary import special_tokens
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_from_files
from keras_bert.text.conventions import published_class
from keras_bert.text.fast_tokenizer import added_tokens_json
from keras_bert.text.normalization.normalizers import normalizer_model
from keras_bert.text.normalization.replacements import CharacterTable
from keras_bert.text.tokenizer_files import CONFIG
from keras_bert.text.tokenizer_files import TokenizerFiles
from keras_bert.text.tokenizer_files import config_json
from keras_bert.text.tokenizer_settings import CasedTokenizer
from keras_bert.text.wordpiece.units import BertUnits
from keras_bert.text.wordpiece.vocabulary import Vocabulary

VOCABULARY = "vocab.txt"
_MAX_CHARS = "max_input_chars_per_word"
# Map setting names in the normalizer of tokenizer.json to names in this
# library.
_RULES = {
    "lowercase": "do_lower_case",
    "strip_accents": "strip_accents",
    "handle_chinese_chars": "tokenize_chinese_chars",
}


@dataclasses.dataclass(frozen=True)
class WordpieceSettings(CasedTokenizer):
    """Validated settings of a `BertTokenizer`.

    Args:
        vocabulary: the vocabulary, or the path of a `vocab.txt`.
        lowercase: whether to lower-case texts.
        strip_accents: whether to drop accents. Defaults to `lowercase`.
        tokenize_chinese_chars: must be True, so that each Chinese character is
            a word.
        special_tokens_in_text: whether to convert special tokens in texts to
            their ids.
        max_chars_per_word: maximum number of characters in a word. Longer words
            become [UNK].
        added_tokens: sequence of `AddedToken`, tokens of the vocabulary to
            match before texts are split into words.

    Raises:
        ValueError: the tokenizer does not support a setting.
    """

    kind = "wordpiece"
    tokenizer_class = "BertTokenizer"
    files = (VOCABULARY, CONFIG)
    pieces = "word pieces"
    model_type = "WordPiece"

    vocabulary: Vocabulary
    lowercase: Annotated[bool, Check(checks.flag)] = True
    strip_accents: Annotated[bool | None, Check(checks.flag)] = None
    tokenize_chinese_chars: bool = True
    special_tokens_in_text: Annotated[bool, Check(checks.flag)] = False
    max_chars_per_word: Annotated[int, Check(checks.at_least, 1)] = 200
    added_tokens: tuple = ()

    def __post_init__(self):
        if not isinstance(self.vocabulary, Vocabulary):
            vars(self)["vocabulary"] = Vocabulary.from_file(self.vocabulary)
        super().__post_init__()
        if not self.tokenize_chinese_chars:
            raise ValueError(
                "`tokenize_chinese_chars` must be True, because the WordPiece "
                "op always splits at Chinese characters. Received: "
                f"tokenize_chinese_chars={self.tokenize_chinese_chars}."
            )
        if self.strip_accents is None:
            vars(self)["strip_accents"] = self.lowercase

    @property
    def matched_tokens(self):
        """Added tokens to match in texts."""
        is_any = self.special_tokens_in_text
        return [t for t in self.added_tokens if is_any or not t.is_special]

    @property
    def raw_token_ids(self):
        """Dict mapping tokens to match in raw texts to their ids."""
        texts = [t.text for t in self.matched_tokens if not t.is_normalized]
        if self.special_tokens_in_text:
            texts += self.vocabulary.roles.values()
        return {token: self.vocabulary.id_of(token) for token in texts}

    @classmethod
    def _read(cls, directory, max_chars_per_word, lowercase):
        """Read the tokenizer settings from a directory.

        The vocabulary is in `vocab.txt` or in `tokenizer.json`. The other
        rules of `tokenizer.json` must equal BERT's. Added tokens are read too.
        The casing comes from `tokenizer_config.json`, `tokenizer.json`, the
        manifest of the vocabulary, an argument, or the table of published
        vocabularies.
        """
        files = TokenizerFiles(directory)
        vocabulary, added = _read_vocabulary(files)
        files.check_special_tokens(vocabulary)
        files.check_rules(cls(vocabulary), _MAX_CHARS, *_RULES)
        normalizer = files.component("normalizer")
        values = {key: normalizer.get(x) for x, key in _RULES.items()}
        values |= {key: files.config.get(key, x) for key, x in values.items()}
        casing_hints = {
            str(directory): values.pop("do_lower_case"),
            **casing_from_files(directory / VOCABULARY),
            "lowercase=": lowercase,
        }
        limit = files.component("model").get(_MAX_CHARS, max_chars_per_word)
        settings = cls(
            vocabulary,
            agreed_casing(vocabulary, casing_hints),
            max_chars_per_word=files.config.get("max_chars_per_word", limit),
            special_tokens_in_text=files.special_tokens_in_text,
            added_tokens=added,
            **{key: x for key, x in values.items() if x is not None},
        )
        # Raises an error for casings that are not supported.
        normalizer_model(settings.lowercase, settings.strip_accents)
        return settings

    @classmethod
    def read_vocabulary(cls, vocab_file):
        """Read a `vocab.txt` of any name."""
        return Vocabulary.from_file(vocab_file)

    @classmethod
    def casing(cls, vocab_file, casing_hints, default=None):
        """Return whether to lower-case texts, see `FileDefinedTokenizer`."""
        casing_hints = {**casing_hints, **casing_from_files(vocab_file)}
        vocabulary = cls.read_vocabulary(vocab_file)
        return agreed_casing(vocabulary, casing_hints, default)

    @classmethod
    def for_corpus(cls, vocab_file, lowercase):
        """Create the settings from a `vocab.txt` and a casing."""
        return cls(cls.read_vocabulary(vocab_file), lowercase)

    def facts(self):
        """Return a dict of the settings to store in a manifest."""
        return {"do_lower_case": self.lowercase}

    def described(self):
        """Return a description (str) for a model card."""
        casing = "lower-cased" if self.lowercase else "kept as written"
        accents = "dropped" if self.strip_accents else "kept"
        recognized = ", special tokens in texts are recognized"
        recognized = recognized if self.special_tokens_in_text else ""
        return f"texts are {casing}, accents {accents}{recognized}"

    def to_json(self):
        """Serialize the settings to a JSON dict."""
        values = {**vars(self), "vocabulary": [*self.vocabulary.tokens]}
        del values["tokenize_chinese_chars"]
        if not self.added_tokens:
            del values["added_tokens"]
        return values

    @classmethod
    def from_json(cls, values):
        """Create the settings from the dict returned by `to_json`."""
        added = [AddedToken(*token) for token in values.get("added_tokens", ())]
        vocabulary = Vocabulary(values["vocabulary"])
        values = {**values, "vocabulary": vocabulary, "added_tokens": added}
        return cls(**values)

    def _write(self, directory):
        vocabulary, tokens = self.vocabulary, [*self.vocabulary.tokens]
        # Tokens with spaces, such as those of PyLate, are added tokens. A line
        # cannot end with a space.
        while tokens[-1] != tokens[-1].strip():
            tokens.pop()
        if len(tokens) < len(vocabulary):
            vocabulary = Vocabulary(tokens)
        vocabulary.save(directory / VOCABULARY)
        values = config_json(
            published_class(self) or self.tokenizer_class,
            self,
            do_lower_case=self.lowercase,
            strip_accents=self.strip_accents,
            tokenize_chinese_chars=True,
            max_chars_per_word=self.max_chars_per_word,
        )
        if self.added_tokens:
            entries = added_tokens_json(self.vocabulary, self.added_tokens)
            values["added_tokens_decoder"] = {e.pop("id"): e for e in entries}
        write_json(directory / CONFIG, values)

    @property
    def fast_tokens(self):
        """The `AddedToken`s to write to `tokenizer.json`."""
        roles = self.vocabulary.roles
        return [
            *special_tokens(roles, mask_takes_space=False),
            *self.added_tokens,
        ]

    def units(self):
        """Return the rules of the host tokenizer."""
        hidden = {token.text for token in self.added_tokens}
        ids = self.vocabulary.ids
        model = self.fast_components()["model"]
        model["vocab"] = {t: ids[t] for t in ids if t not in hidden}
        table = normalizer_model(self.lowercase, self.strip_accents)
        normalize = CharacterTable(table)
        normalized_ids = {
            token.text.translate(normalize): ids[token.text]
            for token in self.matched_tokens
            if token.is_normalized
        }
        normalized_ids.pop("", None)
        return BertUnits(model, table, self.raw_token_ids, normalized_ids)

    def fast_components(self):
        """Return the tokenization rules for `tokenizer.json` as a dict."""
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
                "vocab": self.vocabulary.ids,
            },
        }


def _read_vocabulary(files):
    """Read the vocabulary with its added tokens, and the `AddedToken`s."""
    path = files.directory / VOCABULARY
    if path.is_file():
        vocabulary = Vocabulary.from_file(path)
    elif files.fast:
        path = files.fast_path
        vocabulary = Vocabulary(files.fast_tokens(), str(path))
    else:
        raise ValueError(
            f"{files.directory} must contain a {VOCABULARY} or a "
            f"{files.fast_path.name}."
        )
    new, added = files.added_tokens(vocabulary.ids, vocabulary.roles)
    if new:
        vocabulary = Vocabulary([*vocabulary.tokens, *new], str(path))
    for token, index in (files.component("model").get("vocab") or {}).items():
        if vocabulary.ids.get(token, index) != index:
            raise ValueError(
                f"{VOCABULARY} and {files.fast_path} must give a token the "
                f"same id. Received: {vocabulary.id_of(token)} and {index} for "
                f"{token!r}. Delete the file that belongs to another model."
            )
    return vocabulary, added
