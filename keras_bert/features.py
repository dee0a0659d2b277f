"""Schemas of record features and model inputs.

Names and types are the same as in google-research/bert, so records can be
exchanged with other implementations. Records have one of two forms. Static
records are masked when they are written, as published. Dynamic records contain
unmasked tokens that are masked during training. Only this library reads them.
"""

import dataclasses

MAX_SEQ_LENGTH = "max_seq_length"
MAX_PREDICTIONS_PER_SEQ = "max_predictions_per_seq"
ONE = "1"
NUM_TOKENS = "num_tokens"
NUM_TEXTS = "num_texts"


@dataclasses.dataclass(frozen=True)
class Feature:
    """Named tensor of an example.

    Args:
        name: str, the key in a record and in the inputs of a model.
        meaning: str, description in one line.
        length: str, length of the feature: "max_seq_length",
            "max_predictions_per_seq", "num_texts", "1" or, if it differs
            between records, "num_tokens".
        dtype: str, dtype in a record, "int64" or "float32". Models take int64
            features as int32, for TPUs.
    """

    name: str
    meaning: str
    length: str = MAX_SEQ_LENGTH
    dtype: str = "int64"

    def num_values(self, lengths):
        """Return the number of values in a record.

        Args:
            lengths: dict of the values of "max_seq_length" and
                "max_predictions_per_seq", if needed.

        Returns:
            int, or None if the number differs between records.
        """
        if self.length == NUM_TOKENS:
            return None
        return 1 if self.length == ONE else lengths[self.length]


INPUT_IDS = Feature(
    "input_ids",
    "token ids of [CLS] A [SEP] B [SEP], or of [CLS] A [SEP] for a single "
    "text, padded with the padding id",
)
INPUT_MASK = Feature("input_mask", "1 at tokens, 0 at padding")
SEGMENT_IDS = Feature(
    "segment_ids", "0 in [CLS] A [SEP] and at padding, 1 in B [SEP]"
)
TEXT_NUMBERS = Feature(
    "text_numbers",
    "index of the text of each token, from 1 in each row; 0 at padding",
)
TEXT_STARTS = Feature(
    "text_starts",
    "positions of the first tokens of a row's texts, padded with 0",
    NUM_TEXTS,
)
MASKED_LM_POSITIONS = Feature(
    "masked_lm_positions",
    "positions to predict in ascending order, padded with 0",
    MAX_PREDICTIONS_PER_SEQ,
)
MASKED_LM_IDS = Feature(
    "masked_lm_ids",
    "original ids at these positions, padded with 0",
    MAX_PREDICTIONS_PER_SEQ,
)
MASKED_LM_WEIGHTS = Feature(
    "masked_lm_weights",
    "1.0 at predictions, 0.0 at padding",
    MAX_PREDICTIONS_PER_SEQ,
    "float32",
)
NEXT_SENTENCE_LABELS = Feature(
    "next_sentence_labels",
    "1 if B is from another document or, depending on the packing, was swapped "
    "with A; else 0",
    ONE,
)
PERMUTATION_RANKS = Feature(
    "permutation_ranks",
    "ranks of the predicted tokens in the prediction order, from 1; 0 at "
    "other tokens",
)
SPAN_BOUNDARIES = Feature(
    "span_boundaries",
    "positions before and after the masked span of each prediction",
    MAX_PREDICTIONS_PER_SEQ,
)
SPAN_POSITIONS = Feature(
    "span_positions",
    "position of each prediction in its masked span, from 0",
    MAX_PREDICTIONS_PER_SEQ,
)

TOKEN_IDS = Feature(
    "input_ids",
    "token ids of [CLS] A [SEP] B [SEP], or of [CLS] A [SEP] for a single "
    "text, without masks and padding",
    NUM_TOKENS,
)
SEGMENT_BOUNDARY = Feature(
    "segment_boundary",
    "position of the first token of B; for a single text, the number of tokens",
    ONE,
)
WORD_STARTS = Feature(
    "word_starts",
    "1 at the first piece of each word, 0 at other pieces, [CLS] and [SEP]",
    NUM_TOKENS,
)

ENCODER_INPUTS = (INPUT_IDS, INPUT_MASK, SEGMENT_IDS)
PRETRAINING_INPUTS = (*ENCODER_INPUTS, MASKED_LM_POSITIONS)
PRETRAINING_FEATURES = (
    *PRETRAINING_INPUTS,
    MASKED_LM_IDS,
    MASKED_LM_WEIGHTS,
    NEXT_SENTENCE_LABELS,
)
DYNAMIC_FEATURES = (
    TOKEN_IDS,
    SEGMENT_BOUNDARY,
    WORD_STARTS,
    NEXT_SENTENCE_LABELS,
)
# Map values of `masking` to the features of the records.
FORMS = {"static": PRETRAINING_FEATURES, "dynamic": DYNAMIC_FEATURES}


def form_of(names):
    """Return the form of a record, identified by its features.

    Args:
        names: names of all features of the record.

    Returns:
        "static" or "dynamic", or None if no feature identifies the form.
    """
    for form, other in (("dynamic", "static"), ("static", "dynamic")):
        shared = {feature.name for feature in FORMS[other]}
        if any(f.name in names and f.name not in shared for f in FORMS[form]):
            return form
    return None
