"""Settings and files of a SentencePiece tokenizer."""

import dataclasses
from typing import Annotated

from keras_bert import artifacts
from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.template import Template
from keras_bert.text.casing import agreed_casing
from keras_bert.text.conventions import MODEL
from keras_bert.text.fast_tokenizer import tokenizer_json
from keras_bert.text.sentencepiece.conventions import ALL_CONVENTIONS
from keras_bert.text.sentencepiece.tokenizer_json import fast_parts
from keras_bert.text.sentencepiece.tokenizer_json import from_tokenizer_json
from keras_bert.text.sentencepiece.units import SentencePieceUnits
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary
from keras_bert.text.tokenizer_files import CONFIG
from keras_bert.text.tokenizer_files import FAST_TOKENIZER
from keras_bert.text.tokenizer_files import TokenizerFiles
from keras_bert.text.tokenizer_files import config_json
from keras_bert.text.tokenizer_settings import CasedTokenizer

_MODELS = tuple(name for x in ALL_CONVENTIONS for name in x.files)
_CASING, _ACCENTS = "do_lower_case", "keep_accents"


@dataclasses.dataclass(frozen=True)
class SentencePieceSettings(CasedTokenizer):
    """Settings of a `SentencePieceTokenizer`.

    Args:
        vocabulary: the vocabulary.
        lowercase: whether to lower-case texts. Defaults to True for ALBERT and
            False for all other families.
        normalizer: `MODEL` or a key of `NORMALIZERS`; by default the
            normalizer of the vocabulary's conventions.
        special_tokens_in_text: whether to convert special tokens in texts to
            their ids.

    Raises:
        ValueError: `lowercase` is True with the normalizer `MODEL`.
    """

    kind = "sentencepiece"
    tokenizer_class = "SentencePieceTokenizer"
    files = (*(x.files[0] for x in ALL_CONVENTIONS), CONFIG, FAST_TOKENIZER)
    pieces = "SentencePiece pieces"
    model_type = "Unigram"
    other_names = _MODELS

    vocabulary: SentencePieceVocabulary
    lowercase: Annotated[bool | None, Check(checks.flag)] = None
    special_tokens_in_text: Annotated[bool, Check(checks.flag)] = False
    normalizer: str | None = None

    def __post_init__(self):
        if not isinstance(self.vocabulary, SentencePieceVocabulary):
            vocabulary = SentencePieceVocabulary.from_file(self.vocabulary)
            vars(self)["vocabulary"] = vocabulary
        super().__post_init__()
        conventions, values = self.vocabulary.conventions, vars(self)
        if self.normalizer is None:
            values["normalizer"] = conventions.normalizer
        follows_model = self.normalizer == MODEL
        if self.lowercase is None:
            values["lowercase"] = not follows_model
        if follows_model and self.lowercase:
            raise ValueError(
                "`lowercase` must be False with the normalizer of the model, "
                f"as in a {conventions.tokenizer_class}. "
                "Received: lowercase=True."
            )

    @classmethod
    def _read(cls, directory, max_chars_per_word, lowercase):
        """Read the tokenizer settings from a directory.

        The model is `spiece.model`, `30k-clean.model` as in the downloads of
        google-research/albert, `spm.model` of a DeBERTa,
        `sentencepiece.bpe.model` of an XLM-RoBERTa, or in `tokenizer.json`.
        The casing of an ALBERT is in `tokenizer_config.json`, in
        `tokenizer.json`, or an argument; by default texts are lower-cased, as
        in google-research/albert and `transformers`. A `tokenizer.json` defines
        the normalizer. If there is none, an ALBERT normalizes like
        google-research. The others use the normalizer of their model.
        """
        files = TokenizerFiles(directory)
        fast = from_tokenizer_json(files) if files.fast else (None,) * 3
        fast_vocabulary, fast_casing, normalizer = fast
        vocabulary = _read_vocabulary(files, fast_vocabulary)
        files.refuse_added_tokens(vocabulary)
        files.check_special_tokens(vocabulary)
        conventions, casing = vocabulary.conventions, files.config.get(_CASING)
        has_table = conventions.normalizer != MODEL
        if files.config.get(_ACCENTS) and has_table:
            raise ValueError(
                f"{files.config_path}: `{_ACCENTS}` must be false, because "
                "the graph drops accents. Received: true."
            )
        if conventions.ignores_casing:
            casing = None
        casing_hints = {
            files.config_path: casing,
            files.fast_path: fast_casing,
            "lowercase=": lowercase,
        }
        return cls(
            vocabulary,
            agreed_casing(vocabulary, casing_hints, default=has_table),
            files.special_tokens_in_text,
            normalizer,
        )

    def _write(self, directory):
        conventions = self.vocabulary.conventions
        self.vocabulary.save(directory / conventions.files[0])
        values = config_json(
            conventions.tokenizer_class,
            self,
            do_lower_case=self.lowercase,
            keep_accents=self.normalizer == MODEL,
            remove_space=True,
            bos_token=conventions.roles["cls"],
            eos_token=conventions.roles["sep"],
        )
        template = Template(pair=conventions.pair)
        fast = tokenizer_json(self, self.fast_tokens, template)
        for name, content in ((CONFIG, values), (FAST_TOKENIZER, fast)):
            artifacts.write_json(directory / name, content, 1, False)

    def units(self):
        """Return the rules of the host tokenizer."""
        return SentencePieceUnits(self)

    def fast_parts(self):
        """Return the tokenization rules for `tokenizer.json` as a dict."""
        return fast_parts(self.vocabulary, self.lowercase, self.normalizer)


def _read_vocabulary(files, fast):
    paths = [files.directory / name for name in _MODELS]
    path = next((path for path in paths if path.is_file()), None)
    if path is None and fast is None:
        raise ValueError(
            f"{files.directory} must contain a {', a '.join(_MODELS)} or a "
            f"{FAST_TOKENIZER}."
        )
    if path is None:
        return fast
    vocabulary = SentencePieceVocabulary.from_file(path, files.tokenizer_class)
    if fast and fast.tokens != vocabulary.tokens:
        raise ValueError(
            f"{files.fast_path} and {path.name} must have the same tokens. "
            f"Received: {len(fast)} and {len(vocabulary)} tokens. Delete the "
            "file that does not belong to the model."
        )
    return vocabulary
