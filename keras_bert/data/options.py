"""The settings of pre-training data, checked before any work."""

import dataclasses

from keras_bert.text.sentences import split_sentences


@dataclasses.dataclass(frozen=True)
class TextOptions:
    """How text becomes tokens.

    Args:
        vocab_file: str.
        do_lower_case: bool, lower-case the text and strip its accents.
        split_sentences: bool, the lines are paragraphs of English.
        segmented_words: bool, words are what stands between spaces, as in
            pre-segmented Chinese; whole-word masking then goes by them.
    """

    vocab_file: str
    do_lower_case: bool = True
    split_sentences: bool = False
    segmented_words: bool = False

    def make_tokenizer(self):
        """The `BertTokenizer`; this is where TensorFlow is loaded."""
        from keras_bert.text.tokenizer import BertTokenizer

        return BertTokenizer(self.vocab_file, self.do_lower_case)

    def sentences(self, lines):
        """Yields the sentences of lines, both bytes; empty lines stay."""
        if not self.split_sentences:
            yield from lines
            return
        for line in lines:
            if not line:
                yield line
            for sentence in split_sentences(line.decode("utf-8")):
                yield sentence.encode("utf-8")


@dataclasses.dataclass(frozen=True)
class PretrainingDataOptions:
    """What the examples look like, in google-research/bert's words.

    Args:
        max_seq_length: int, length of the packed sequences.
        max_predictions_per_seq: int, most masked tokens in one.
        masked_lm_prob: float, share of the tokens to mask.
        short_seq_prob: float, share of documents walked with a random
            shorter target length.
        dupe_factor: int, passes over the text, masked differently each.
        random_seed: int; the same seed gives the same bytes.
        do_whole_word_mask: bool, mask all pieces of a word or none.
        masking: "static", the records hold masked examples; or "dynamic",
            they hold the examples as they are and training draws masks, so
            that the settings of masking have no effect here.

    Raises:
        ValueError: the lengths cannot hold a pair or its predictions, or
            another setting is not one of those allowed.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.1 and A.2
    """

    max_seq_length: int = 128
    max_predictions_per_seq: int = 20
    masked_lm_prob: float = 0.15
    short_seq_prob: float = 0.1
    dupe_factor: int = 10
    random_seed: int = 12345
    do_whole_word_mask: bool = False
    masking: str = "static"

    def __post_init__(self):
        if self.max_seq_length < 5:
            raise ValueError(
                "`max_seq_length` must be at least 5, to hold [CLS] A [SEP] "
                f"B [SEP]. Received: max_seq_length={self.max_seq_length}."
            )
        if not 0 < self.max_predictions_per_seq <= self.max_seq_length - 3:
            raise ValueError(
                "`max_predictions_per_seq` must be at least 1 and at most "
                "`max_seq_length` - 3. Received: max_predictions_per_seq="
                f"{self.max_predictions_per_seq}, "
                f"max_seq_length={self.max_seq_length}."
            )
        if not 0 < self.masked_lm_prob < 1:
            raise ValueError(
                "`masked_lm_prob` must be above 0 and below 1. "
                f"Received: masked_lm_prob={self.masked_lm_prob}."
            )
        if not 0 <= self.short_seq_prob <= 1:
            raise ValueError(
                "`short_seq_prob` must be from 0 to 1. "
                f"Received: short_seq_prob={self.short_seq_prob}."
            )
        if self.dupe_factor < 1 or self.random_seed < 0:
            raise ValueError(
                "`dupe_factor` must be at least 1 and `random_seed` at least "
                f"0. Received: dupe_factor={self.dupe_factor}, "
                f"random_seed={self.random_seed}."
            )
        if self.masking not in ("static", "dynamic"):
            raise ValueError(
                "`masking` must be 'static' or 'dynamic'. "
                f"Received: masking={self.masking!r}."
            )
        if self.masking == "dynamic" and self.do_whole_word_mask:
            raise ValueError(
                "`do_whole_word_mask` is chosen while training where "
                "`masking` is 'dynamic'; the records serve both. Received: "
                "do_whole_word_mask=True."
            )
