"""The settings of pre-training data, checked before any work."""

import dataclasses
import typing

from keras_bert import checks
from keras_bert.pretraining.examples.masking_rules import check_masking
from keras_bert.pretraining.examples.packings import PACKINGS
from keras_bert.text.sentences import split_sentences
from keras_bert.text.tokenizer_kinds import kind_of_file

MASKINGS = ("static", "dynamic")


@dataclasses.dataclass(frozen=True)
class TextOptions(checks.Checked):
    """Options of turning text into tokens.

    Args:
        vocab_file: str, the vocab.txt; or a vocab.json beside its merges.txt,
            a spiece.model or the tokenizer.json of one of these two.
        do_lower_case: bool, of word pieces: lower-case the text and strip its
            accents. By default as the vocabulary's manifest, the
            tokenizer_config.json in its directory or the table of the
            published models says; true where nothing tells.
        split_sentences: bool, the lines are paragraphs of English.
        segmented_words: bool, words are what stands between spaces, as in
            pre-segmented Chinese; whole-word masking then goes by them.
        on_bad_line: "stop" or "skip", what to do with a line of JSON without
            text.

    Raises:
        ValueError: `on_bad_line` is another word.
    """

    groups: typing.ClassVar = {"vocab_file": "Tokens"}

    vocab_file: str
    do_lower_case: bool | None = None
    split_sentences: bool = False
    segmented_words: bool = False
    on_bad_line: str = checks.field("stop", checks.one_of, ("stop", "skip"))

    def settled(self):
        """The options with the casing on which flag and files agree.

        By default texts are lower-cased, as in google-research/bert. The
        casing stays None for a kind of tokenizer that needs no such flag.

        Raises:
            ValueError: `do_lower_case` is not what the vocabulary was made
                for, or its file is no vocabulary.
        """
        casing = kind_of_file(self.vocab_file).casing(
            self.vocab_file,
            {"`do_lower_case`": self.do_lower_case},
            default=True,
        )
        return dataclasses.replace(self, do_lower_case=casing)

    def tokenizer_settings(self):
        """The settings of the tokenizer, without TensorFlow."""
        return kind_of_file(self.vocab_file).for_corpus(
            self.vocab_file, self.settled().do_lower_case
        )

    def make_tokenizer(self):
        """The `Tokenizer`; this is where TensorFlow is loaded."""
        return self.tokenizer_settings().make()

    def sentences(self, lines):
        """Yield the sentences of lines; empty lines stay.

        A sentence after another one of the same line begins with a space,
        because byte-level BPE reads its first word differently without one.

        Args:
            lines: iterable of bytes.
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
    """Options of the examples, in google-research/bert's words.

    Args:
        max_seq_length: int, length of the sequences.
        max_predictions_per_seq: int, most masked tokens in a sequence.
        masked_lm_prob: float, share of tokens to mask.
        short_seq_prob: float, share of documents walked with a random shorter
            length.
        dupe_factor: int, passes over the text, masked differently each.
        random_seed: int, the same seed gives the same records.
        do_whole_word_mask: bool, mask all pieces of a word or none.
        ngram: int, mask runs of 1 up to so many words, or of pieces without
            `do_whole_word_mask`, the short ones more often.
        packing: str, what an example holds: two segments or two sentences, of
            which B follows A or is random; one text of full sentences, across
            documents or of one; as many texts of one document as fit, each
            with special tokens of its own, which needs dynamic `masking`; or
            two segments in order or swapped.
        masking: str, mask here, or anew at each step of training, so that the
            settings of masking have no effect here.

    Raises:
        ValueError: the lengths cannot hold a pair or its predictions, or
            another setting is not one of those allowed.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.1 and A.2
    """

    groups: typing.ClassVar = {"max_seq_length": "Examples"}

    # [CLS] A [SEP] B [SEP] need five tokens; memory grows with the length.
    max_seq_length: int = checks.field(128, checks.between, 5, 16_384)
    max_predictions_per_seq: int = 20
    masked_lm_prob: float = 0.15
    short_seq_prob: float = checks.field(0.1, checks.probability)
    dupe_factor: int = checks.field(10, checks.between, 1, 1000)
    random_seed: int = checks.field(12345, checks.at_least, 0)
    do_whole_word_mask: bool = False
    ngram: int = 1
    packing: str = checks.field("segment_pairs", checks.one_of, PACKINGS)
    masking: str = checks.field("static", checks.one_of, MASKINGS)

    def __post_init__(self):
        super().__post_init__()
        check_masking(
            self.masked_lm_prob,
            self.max_predictions_per_seq,
            self.max_seq_length,
            self.ngram,
        )
        if self.masking == "static" and PACKINGS[self.packing].joins:
            raise ValueError(
                f"`packing`={self.packing!r} needs `masking`='dynamic': static "
                "records say nothing of several texts. Received: "
                f"masking={self.masking!r}."
            )
        for name, default in (("do_whole_word_mask", False), ("ngram", 1)):
            value = getattr(self, name)
            if self.masking == "dynamic" and value != default:
                raise ValueError(
                    f"`{name}` is chosen while training where `masking` is "
                    "'dynamic'; the records serve all. Received: "
                    f"{name}={value}."
                )
