"""Settings and files of a byte-level BPE tokenizer."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.files.atomic import write_json
from keras_bert.template import Template
from keras_bert.text.base_vocabulary import special_tokens
from keras_bert.text.bpe.byte_vocabulary import ROLES
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import byte_characters
from keras_bert.text.bpe.files import NAMES
from keras_bert.text.bpe.files import MergesSettings
from keras_bert.text.bpe.units import BytePairUnits
from keras_bert.text.conventions import published_class
from keras_bert.text.fast_tokenizer import tokenizer_json
from keras_bert.text.tokenizer_files import CONFIG
from keras_bert.text.tokenizer_files import FAST_TOKENIZER
from keras_bert.text.tokenizer_files import SUPPORTED
from keras_bert.text.tokenizer_files import TokenizerFiles
from keras_bert.text.tokenizer_files import config_json
from keras_bert.text.tokenizer_files import parse_added_token
from keras_bert.text.wordpiece.vocabulary import ROLES as BERT_ROLES

_ADD_PREFIX_SPACE = "add_prefix_space"


@dataclasses.dataclass(frozen=True)
class BytePairSettings(MergesSettings):
    """Validated settings of a `BytePairTokenizer`.

    Args:
        vocabulary: `BytePairVocabulary`, or the path of a `vocab.json`.
        merges: pairs of tokens in the order of their ranks, or the path of a
            `merges.txt`.
        add_prefix_space: whether to add a space to texts that do not begin with
            one.
        special_tokens_in_text: whether to convert special tokens in texts to
            their ids.
        normalizer: "NFC", or None to skip normalization.
        added_tokens: sequence of `AddedToken`. Missing special tokens of the
            vocabulary are added.

    Raises:
        ValueError: a merge or an added token is not in the vocabulary, or the
            order of the merges is not one that training can produce.
    """

    kind = "byte_bpe"
    tokenizer_class = "BytePairTokenizer"
    vocabulary_class = BytePairVocabulary
    files = (*NAMES, CONFIG, FAST_TOKENIZER)
    pieces = "byte-level BPE pieces"
    other_names = (NAMES[1],)

    vocabulary: BytePairVocabulary
    merges: tuple = dataclasses.field(repr=False)
    add_prefix_space: Annotated[bool, Check(checks.flag)] = False
    special_tokens_in_text: Annotated[bool, Check(checks.flag)] = False
    normalizer: Annotated[str | None, Check(checks.one_of, ("NFC",))] = None
    added_tokens: tuple = ()

    def __post_init__(self):
        super().__post_init__()
        known = {token.text for token in self.added_tokens}
        roles = special_tokens(self.vocabulary.roles)
        missing = (token for token in roles if token.text not in known)
        vars(self)["added_tokens"] = (*self.added_tokens, *missing)

    def _symbols(self):
        return {c for c in byte_characters() if c in self.vocabulary}

    @classmethod
    def _read(cls, directory):
        """Read the tokenizer settings from a directory.

        Vocabulary and merges are in `vocab.json` and `merges.txt`, or in
        `tokenizer.json`, which also has the normalizer and added tokens.
        `add_prefix_space` is in `tokenizer_config.json` or `tokenizer.json`;
        by default it is False. Special tokens are in `tokenizer_config.json`;
        missing ones are RoBERTa's tokens, or BERT's.
        """
        files = TokenizerFiles(directory)
        source, tokens, merges = cls._read_pieces(files, NAMES)
        normalizer = files.component("normalizer").get("type")
        supported = {**SUPPORTED, "rstrip": False}
        if normalizer:  # Ordinary added tokens match after it.
            supported["normalized"] = None
        ids = {token: index for index, token in enumerate(tokens)}
        new, added = files.added_tokens(ids, ROLES, supported)
        added = {token.text: token for token in added}
        for entry in files.fast_entries():
            token = parse_added_token(
                files.fast_path, entry, supported, ROLES.values()
            )
            added[token.text] = token
        tokens = [*tokens, *new]
        roles = files.special_tokens(tokens, ROLES, BERT_ROLES)
        prefix = files.config.get(_ADD_PREFIX_SPACE)
        if prefix is None:
            pre_tokenizer = files.component("pre_tokenizer")
            prefix = pre_tokenizer.get(_ADD_PREFIX_SPACE, bool(files.fast))
        settings = cls(
            BytePairVocabulary(tokens, source, roles),
            merges,
            prefix,
            files.special_tokens_in_text,
            normalizer,
            (*added.values(),),
        )
        files.check_rules(settings, _ADD_PREFIX_SPACE, "trim_offsets")
        return settings

    def _write(self, directory):
        # Only classes of families work without a `tokenizer.json`.
        roles, published = self.vocabulary.roles, published_class(self)
        if self.normalizer or not all(t.is_special for t in self.added_tokens):
            published = None
        values = config_json(
            published or "PreTrainedTokenizerFast",
            self,
            add_prefix_space=self.add_prefix_space,
            bos_token=roles["cls"],
            eos_token=roles["sep"],
        )
        self._write_pieces(directory)
        write_json(directory / CONFIG, values)
        if not published:
            template = Template(pair="cls A sep B sep")
            fast = tokenizer_json(self, self.added_tokens, template)
            write_json(directory / FAST_TOKENIZER, fast, None, False)

    @property
    def fast_tokens(self):
        """The `AddedToken`s to write to `tokenizer.json`."""
        return self.added_tokens

    def units(self):
        """Return the rules of the host tokenizer."""
        return BytePairUnits(self)

    def fast_components(self):
        """Return the tokenization rules for `tokenizer.json` as a dict."""
        byte_level = {
            "type": "ByteLevel",
            _ADD_PREFIX_SPACE: self.add_prefix_space,
            "trim_offsets": True,
            "use_regex": True,
        }
        return {
            "normalizer": self.normalizer and {"type": self.normalizer},
            "pre_tokenizer": byte_level,
            "decoder": byte_level,
            "model": {
                "type": "BPE",
                "dropout": None,
                "continuing_subword_prefix": None,
                "end_of_word_suffix": None,
                "byte_fallback": False,
                "ignore_merges": False,
                "vocab": self.vocabulary.ids,
                "merges": [" ".join(merge) for merge in self.merges],
            },
        }
