"""Masking outcomes for predicted tokens: masked, random or kept."""

import numpy as np

from keras_bert import features

PLAIN = "plain"  # Outcome of tokens that are not predicted.
MASKED, RANDOM, KEPT = OUTCOMES = ("masked", "random", "kept")
# Notation in displayed examples and its meaning.
MARKS = {
    MASKED: ("[MASK→word]", "word replaced by [MASK]"),
    RANDOM: ("[other*→word]", "word replaced by a random piece"),
    KEPT: ("[word=]", "word unchanged"),
}
# Labels in tables, and BERT's percentages.
EXPECTED = {MASKED: ("[MASK]", 80), RANDOM: ("random", 10), KEPT: ("kept", 10)}


def prediction_outcomes(values, mask_id):
    """Return the outcome of each prediction, as one-hot arrays.

    Args:
        values: dict of arrays under the names of
            `features.PRETRAINING_FEATURES`.
        mask_id: int, id of [MASK].

    Returns:
        A dict of int arrays `(num_records, max_predictions_per_seq)` of 0 and
        1: "masked", "random" and "kept". Their sum is 1 at predictions and 0
        at padding.
    """
    predicted = values[features.MASKED_LM_WEIGHTS.name] == 1
    shown = np.take_along_axis(
        values[features.INPUT_IDS.name],
        values[features.MASKED_LM_POSITIONS.name],
        axis=1,
    )
    is_mask = shown == mask_id
    is_original = shown == values[features.MASKED_LM_IDS.name]
    outcomes = is_mask, ~is_mask & ~is_original, ~is_mask & is_original
    return {
        name: (predicted & is_it).astype(np.int64)
        for name, is_it in zip(OUTCOMES, outcomes, strict=True)
    }
