"""Settings and files of the character-level BPE tokenizer."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.files.atomic import write_json
from keras_bert.text.bpe.character_vocabulary import ROLES
from keras_bert.text.bpe.character_vocabulary import WORD_END
from keras_bert.text.bpe.character_vocabulary import BpeVocabulary
from keras_bert.text.bpe.files import NAMES
from keras_bert.text.bpe.files import MergesSettings
from keras_bert.text.conventions import conventions_of
from keras_bert.text.normalization.normalizers import normalizer_model
from keras_bert.text.tokenizer_files import CONFIG
from keras_bert.text.tokenizer_files import TokenizerFiles
from keras_bert.text.tokenizer_files import config_json
from keras_bert.text.wordpiece.units import BertUnits

# File names in openai/finetune-transformer-lm.
_PUBLISHED_NAMES = "encoder_bpe_40000.json", "vocab_40000.bpe"


@dataclasses.dataclass(frozen=True)
class BpeSettings(MergesSettings):
    """Validated settings of a `BpeTokenizer`.

    Args:
        vocabulary: `BpeVocabulary`, or the path of a `vocab.json`.
        merges: pairs of tokens in the order of their ranks, or the path of a
            `merges.txt`.
        special_tokens_in_text: whether to convert special tokens in texts to
            their ids.

    Raises:
        ValueError: a merge is not in the vocabulary, or the order of the
            merges is not one that training can produce.
    """

    kind = "bpe"
    tokenizer_class = "BpeTokenizer"
    vocabulary_class = BpeVocabulary
    files = (*NAMES, CONFIG)
    pieces = "BPE pieces"
    other_names = (NAMES[1], *_PUBLISHED_NAMES)
    mark = rb'[^"<>/]</w>'

    vocabulary: BpeVocabulary
    merges: tuple = dataclasses.field(repr=False)
    special_tokens_in_text: Annotated[bool, Check(checks.flag)] = False

    def _symbols(self):
        tokens = self.vocabulary.tokens
        return {t for t in tokens if len(t.removesuffix(WORD_END)) == 1}

    @classmethod
    def _read(cls, directory):
        """Read the tokenizer settings from a directory.

        Vocabulary and merges are in `vocab.json` and `merges.txt`, in
        `encoder_bpe_40000.json` and `vocab_40000.bpe`, or in `tokenizer.json`.
        Special tokens other than the unknown token are in
        `tokenizer_config.json`.
        """
        files = TokenizerFiles(directory)
        pieces = cls._read_pieces(files, NAMES, _PUBLISHED_NAMES)
        source, tokens, merges = pieces
        roles = files.special_tokens(tokens, ROLES)
        vocabulary = BpeVocabulary(tokens, source, roles)
        _, added = files.added_tokens(vocabulary.ids, roles)
        files.refuse([token.text for token in added])
        settings = cls(vocabulary, merges, files.special_tokens_in_text)
        if source == str(files.fast_path):
            files.check_rules(settings)
        return settings

    def _write(self, directory):
        self._write_pieces(directory)
        published, *_ = conventions_of(self.kind)
        values = config_json(published.tokenizer_class, self)
        write_json(directory / CONFIG, values)

    def units(self):
        """Return the rules of the host tokenizer."""
        special = self.vocabulary.roles.values()
        tokens = special if self.special_tokens_in_text else ()
        ids = {token: self.vocabulary.id_of(token) for token in tokens}
        table = normalizer_model(lowercase=True, strip_accents=True)
        return BertUnits(self.fast_components()["model"], table, {}, ids)

    def fast_components(self):
        """Return the tokenization rules for `tokenizer.json` as a dict."""
        return {
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": True,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "decoder": {"type": "BPEDecoder", "suffix": WORD_END},
            "model": {
                "type": "BPE",
                "end_of_word_suffix": WORD_END,
                "fuse_unk": False,
                "unk_token": self.vocabulary.roles["unknown"],
                "vocab": self.vocabulary.ids,
                "merges": [[*merge] for merge in self.merges],
            },
        }
