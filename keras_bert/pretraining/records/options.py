"""Options for creating pre-training data, validated when created."""

import dataclasses
import typing
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.pretraining.corpus.lexicon import Lexicon
from keras_bert.pretraining.records.layouts import LAYOUTS
from keras_bert.pretraining.records.masking_rules import check_masking
from keras_bert.text.host_tokenizer import HostTokenizer
from keras_bert.text.sentences import split_sentences
from keras_bert.text.tokenizer_kinds import kind_of_file

MASKINGS = ("static", "dynamic")


@dataclasses.dataclass(frozen=True)
class TextOptions(checks.Checked):
    """Options for converting text to tokens.

    Args:
        vocab_file: vocabulary file: a vocab.txt, a vocab.json next to its
            merges.txt, a spiece.model, or the tokenizer.json of a byte-level
            BPE or SentencePiece tokenizer.
        do_lower_case: whether to lowercase the text and strip its accents
            (WordPiece only). By default read from the vocabulary's manifest,
            the tokenizer_config.json in its directory or a list of published
            models; otherwise true.
        split_sentences: whether to split lines (English paragraphs) into
            sentences.
        segmented_words: whether only spaces separate words, as in
            pre-segmented Chinese; used by whole-word masking.
        lexicon_file: UTF-8 file with a word, phrase or name per line. Each
            is one word in whole-word masking.
        on_bad_line: how to handle a JSON line without text: "stop" or "skip".

    Raises:
        ValueError: `on_bad_line` has another value.
    """

    groups = {"vocab_file": "Tokens"}

    vocab_file: str
    do_lower_case: bool | None = None
    split_sentences: bool = False
    segmented_words: bool = False
    lexicon_file: str | None = None
    on_bad_line: Annotated[str, Check(checks.one_of, ("stop", "skip"))] = "stop"

    def resolved(self) -> "TextOptions":
        """Return the options with the default of `do_lower_case` filled in.

        The default is True unless a file says otherwise. It stays None for
        tokenizers without this option.

        Raises:
            ValueError: `do_lower_case` contradicts the files of the
                vocabulary, or `vocab_file` is not a vocabulary.
        """
        casing = kind_of_file(self.vocab_file).casing(
            self.vocab_file,
            {"`do_lower_case`": self.do_lower_case},
            default=True,
        )
        return dataclasses.replace(self, do_lower_case=casing)

    def tokenizer_settings(self) -> typing.Any:
        """Return the settings of the tokenizer, without TensorFlow."""
        lowercase = self.do_lower_case
        if lowercase is None:
            lowercase = self.resolved().do_lower_case
        return kind_of_file(self.vocab_file).for_corpus(
            self.vocab_file, lowercase
        )

    @property
    def marks_words(self) -> bool:
        """True if word boundaries cannot be derived from the tokens."""
        return self.segmented_words or self.lexicon_file is not None

    def lexicon(self) -> Lexicon | None:
        """Read the `Lexicon`, or return None if `lexicon_file` is not set."""
        if self.lexicon_file is None:
            return None
        lowers = bool(self.resolved().do_lower_case)
        return Lexicon(self.lexicon_file, lowers)

    def make_tokenizer(self, on_host: bool = False) -> typing.Any:
        """Create the tokenizer.

        Args:
            on_host: whether to prefer a `HostTokenizer`, which does not import
                TensorFlow: it starts faster, but tokenizes more slowly.
        """
        settings = self.tokenizer_settings()
        if on_host and hasattr(settings, "units"):
            return HostTokenizer(settings)
        return settings.make()

    def sentences(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the sentences in lines and keep empty lines.

        All sentences except the first on a line begin with a space, because
        byte-level BPE tokenizes the first word differently without it.

        Args:
            lines: UTF-8 lines of a document.
        """
        if not self.split_sentences:
            yield from lines
            return
        for line in lines:
            if not line:
                yield line
            before = b""
            for sentence in split_sentences(line.decode("utf-8")):
                yield before + sentence.encode("utf-8")
                before = b" "


@dataclasses.dataclass(frozen=True)
class DataOptions(checks.Checked):
    """Options for creating pre-training examples, as in google-research/bert.

    Args:
        max_seq_length: length of the sequences.
        max_predictions_per_seq: maximum number of masked tokens in a sequence.
        masked_lm_prob: fraction of the tokens to mask.
        short_seq_prob: fraction of documents with a random shorter target
            length.
        dupe_factor: number of passes over the text, each with different masks.
        random_seed: random seed; the same seed gives the same records.
        do_whole_word_mask: whether to mask whole words.
        ngram: maximum number of words in a masked span, or of pieces without
            `do_whole_word_mask`. Short spans are sampled more often.
        packing: contents of an example. segment_pairs and sentence_pairs: A and
            B, where B follows A or is random; sentence_order: two segments, in
            order or swapped; full_sentences and doc_sentences: one text, across
            documents or within one document; best_fit: as many texts as fit,
            for dynamic `masking`.
        masking: when tokens are masked. static: when the records are created;
            dynamic: in each epoch of training. Masking options have no effect
            on dynamic records.

    Raises:
        ValueError: an option is out of range, or `max_seq_length` is too
            small for a pair or its predictions.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.1 and A.2
    """

    groups = {"max_seq_length": "Examples"}

    # [CLS] A [SEP] B [SEP] need five tokens; memory grows with the length.
    max_seq_length: Annotated[int, Check(checks.between, 5, 16_384)] = 128
    max_predictions_per_seq: int = 20
    masked_lm_prob: float = 0.15
    short_seq_prob: Annotated[float, Check(checks.probability)] = 0.1
    dupe_factor: Annotated[int, Check(checks.between, 1, 1000)] = 10
    random_seed: Annotated[int, Check(checks.at_least, 0)] = 12345
    do_whole_word_mask: bool = False
    ngram: int = 1
    packing: Annotated[str, Check(checks.one_of, LAYOUTS)] = "segment_pairs"
    masking: Annotated[str, Check(checks.one_of, MASKINGS)] = "static"

    def __post_init__(self):
        super().__post_init__()
        check_masking(
            self.masked_lm_prob,
            self.max_predictions_per_seq,
            self.max_seq_length,
            self.ngram,
        )
        if self.masking == "static" and LAYOUTS[self.packing].joins:
            raise ValueError(
                f"`packing`={self.packing!r} needs `masking`='dynamic'; "
                "static records cannot contain several texts. Received: "
                f"masking={self.masking!r}."
            )
        for name, default in (("do_whole_word_mask", False), ("ngram", 1)):
            value = getattr(self, name)
            if self.masking == "dynamic" and value != default:
                raise ValueError(
                    f"`{name}` has no effect with `masking`='dynamic'; choose "
                    f"it for training instead. Received: {name}={value}."
                )
