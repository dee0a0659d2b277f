"""Settings and files of a SentencePiece tokenizer."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.files.atomic import write_json
from keras_bert.template import Template
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.casing import agreed_casing
from keras_bert.text.conventions import MODEL
from keras_bert.text.fast_tokenizer import tokenizer_json
from keras_bert.text.normalization.normalizers import HUGGING_FACE
from keras_bert.text.normalization.normalizers import XLNET
from keras_bert.text.sentencepiece.conventions import ALL_CONVENTIONS
from keras_bert.text.sentencepiece.tokenizer_json import fast_components
from keras_bert.text.sentencepiece.tokenizer_json import from_tokenizer_json
from keras_bert.text.sentencepiece.units import SentencePieceUnits
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary
from keras_bert.text.tokenizer_files import CONFIG
from keras_bert.text.tokenizer_files import FAST_TOKENIZER
from keras_bert.text.tokenizer_files import TokenizerFiles
from keras_bert.text.tokenizer_files import config_json
from keras_bert.text.tokenizer_files import parse_added_token
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
        keeps_last_space: whether white space at the end of a text, or before an
            added token, is a piece "▁", as in some files of transformers.
        added_tokens: sequence of `AddedToken`, other tokens of the vocabulary
            to match in raw texts.

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
    keeps_last_space: Annotated[bool, Check(checks.flag)] = False
    added_tokens: tuple = ()

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
            values["lowercase"] = conventions.lowercase and not follows_model
        if follows_model and self.lowercase:
            raise ValueError(
                "`lowercase` must be False with the normalizer of the model, "
                f"as in a {conventions.tokenizer_class}. "
                "Received: lowercase=True."
            )

    @property
    def matched_token_ids(self):
        """Dict mapping the tokens to match in texts to their ids."""
        tokens = self.fast_tokens
        if not self.special_tokens_in_text:
            tokens = [token for token in tokens if not token.is_special]
        return {t.text: self.vocabulary.id_of(t.text) for t in tokens}

    @property
    def taking_tokens(self):
        """List of the tokens (str) that include the white space before them."""
        return [token.text for token in self.fast_tokens if token.takes_space]

    @property
    def fast_tokens(self):
        """The `AddedToken`s to write to `tokenizer.json`."""
        special = map(AddedToken, self.vocabulary.other_special)
        tokens = (*super().fast_tokens, *special, *self.added_tokens)
        return [*{token.text: token for token in tokens}.values()]

    @classmethod
    def _read(cls, directory, max_chars_per_word, lowercase):
        """Read the tokenizer settings from a directory.

        The model is `spiece.model`, `30k-clean.model` as in the downloads of
        google-research/albert, `spm.model` of a DeBERTa,
        `sentencepiece.bpe.model` of an XLM-RoBERTa, or in `tokenizer.json`.
        The casing of an ALBERT or XLNet is read from `tokenizer_config.json` or
        `tokenizer.json`, or is an argument. If it is unknown, texts for ALBERT
        are lower-cased, as in google-research/albert and `transformers`. A
        `tokenizer.json` defines the normalizer. If there is none, an ALBERT
        normalizes like google-research, or like the `AlbertTokenizer` in
        `tokenizer_config.json`. The others use the normalizer of their family.
        """
        files = TokenizerFiles(directory)
        fast = from_tokenizer_json(files) if files.fast else (None,) * 4
        fast_vocabulary, fast_casing, normalizer, keeps_last_space = fast
        vocabulary = _read_vocabulary(files, fast_vocabulary, normalizer)
        new, added = files.added_tokens(vocabulary.ids, vocabulary.roles)
        normalized = (t for t in added if t.is_normalized and not t.is_special)
        files.refuse([*new, *(token.text for token in normalized)])
        known = vocabulary.other_special
        added = [token for token in added if token.text not in known]
        for entry in files.fast_entries() if keeps_last_space else ():
            if entry["content"] == vocabulary.roles["mask"]:
                added.append(parse_added_token(files.fast_path, entry))
        files.check_special_tokens(vocabulary)
        conventions, casing = vocabulary.conventions, files.config.get(_CASING)
        has_table = conventions.normalizer != MODEL
        if has_table and not files.fast and "tokenizer_class" in files.config:
            normalizer = XLNET
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
            agreed_casing(vocabulary, casing_hints, conventions.lowercase),
            files.special_tokens_in_text,
            normalizer,
            bool(keeps_last_space),
            added,
        )

    def _write(self, directory):
        conventions = self.vocabulary.conventions
        self.vocabulary.save(directory / conventions.files[0])
        roles, others = self.vocabulary.roles, self.vocabulary.other_special
        first, last = others[:2] or (roles["cls"], roles["sep"])
        values = config_json(
            conventions.tokenizer_class,
            self,
            do_lower_case=self.lowercase,
            keep_accents=self.normalizer == MODEL,
            remove_space=True,
            bos_token=first,
            eos_token=last,
        )
        template = Template(pair=conventions.pair)
        fast = tokenizer_json(self, self.fast_tokens, template)
        for name, content in ((CONFIG, values), (FAST_TOKENIZER, fast)):
            write_json(directory / name, content, 1, False)

    def units(self):
        """Return the rules of the host tokenizer."""
        return SentencePieceUnits(self)

    def fast_components(self):
        """Return the tokenization rules for `tokenizer.json` as a dict."""
        return fast_components(
            self.vocabulary,
            self.lowercase,
            self.normalizer,
            self.keeps_last_space,
        )


def _read_vocabulary(files, fast, normalizer):
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
    if normalizer == HUGGING_FACE:
        # transformers 4 lowers the scores of pieces that end in "9,".
        vocabulary.model.pieces = [
            mine._replace(score=its.score)
            for mine, its in zip(
                vocabulary.model.pieces, fast.model.pieces, strict=True
            )
        ]
    return vocabulary
