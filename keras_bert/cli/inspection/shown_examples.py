"""Formatting of records as text with the masked words in brackets."""

import textwrap

import numpy as np

from keras_bert import features
from keras_bert.pretraining.records.mask_outcomes import KEPT
from keras_bert.pretraining.records.mask_outcomes import MASKED
from keras_bert.pretraining.records.mask_outcomes import PLAIN
from keras_bert.pretraining.records.mask_outcomes import RANDOM
from keras_bert.pretraining.records.mask_outcomes import prediction_outcomes

_LABELS = ("B follows A", "B does not follow A")
_LINE_WIDTH = 80


def show_example(values, row, location, vocabulary):
    """Format the record at index `row` of a batch as lines of text.

    `values` is a batch from `read_checked_records`. The first line is a title
    that starts with `location`, the location of the record.
    """
    one = {name: array[row : row + 1] for name, array in values.items()}
    length = int(one[features.INPUT_MASK.name].sum())
    boundary = length - int(one[features.SEGMENT_IDS.name].sum())
    ids = one[features.INPUT_IDS.name][0, :length].tolist()
    predictions, title = {}, f"{location}: {length} tokens"
    if features.MASKED_LM_IDS.name in one:
        mask = vocabulary.roles["mask"]
        predictions = _predictions(one, vocabulary.id_of(mask))
        title += f", {len(predictions)} to predict"
    tokens, continues = [], vocabulary.is_continuation
    for position, shown in enumerate(ids):
        outcome, original = predictions.get(position, (PLAIN, shown))
        # The first word of A or B may be truncated at its start.
        inside = continues[original] and position not in (1, boundary)
        text = _token_text(
            vocabulary.tokens[shown],
            vocabulary.tokens[original],
            outcome,
            inside,
        )
        tokens.append(text)
    label = int(one[features.NEXT_SENTENCE_LABELS.name][0, 0])
    meaning = _LABELS[label] if boundary < length else "one text"
    lines = [title]
    for name, part in (("A", tokens[:boundary]), ("B", tokens[boundary:])):
        lines += textwrap.wrap(
            "".join(part).removeprefix(" "),
            _LINE_WIDTH,
            initial_indent=f"  {name:<7}",
            subsequent_indent=" " * 9,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join([*lines, f"  label  {meaning} ({label})", ""])


def _predictions(one, mask_id):
    """Return a dict mapping positions to pairs (outcome, original id)."""
    positions = one[features.MASKED_LM_POSITIONS.name][0].tolist()
    labels = one[features.MASKED_LM_IDS.name][0].tolist()
    return {
        positions[index]: (name, labels[index])
        for name, is_it in prediction_outcomes(one, mask_id).items()
        for index in np.flatnonzero(is_it)
    }


def _token_text(shown, original, outcome, continues):
    text = {
        PLAIN: shown.removeprefix("##") if continues else shown,
        MASKED: f"[MASK→{original}]",
        RANDOM: f"[{shown}*→{original}]",
        KEPT: f"[{original}=]",
    }[outcome]
    return text if continues else f" {text}"
