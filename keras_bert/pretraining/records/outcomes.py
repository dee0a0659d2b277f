"""Outcomes of masking for the tokens that a model must predict."""

import numpy as np

from keras_bert import features

PLAIN = "plain"  # Of a token that is not predicted.
MASKED, RANDOM, KEPT = OUTCOMES = ("masked", "random", "kept")
# How they are shown, and what that means.
MARKS = {
    MASKED: ("[MASK→word]", "word hidden behind [MASK]"),
    RANDOM: ("[other*→word]", "word replaced by a random piece"),
    KEPT: ("[word=]", "word kept as it is"),
}
# What they are called in numbers, and BERT's share of them in percent.
EXPECTED = {MASKED: ("[MASK]", 80), RANDOM: ("random", 10), KEPT: ("kept", 10)}


def prediction_outcomes(values, mask_id):
    """Sort the predictions by their outcomes.

    Args:
        values: dict of arrays under the names of
            `features.PRETRAINING_FEATURES`.
        mask_id: int, id of [MASK].

    Returns:
        A dict of three int arrays `(num_records, max_predictions_per_seq)` of
        0 and 1, "masked", "random" and "kept"; their sum is 1 at predictions.
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
