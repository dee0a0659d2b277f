"""Examples as readers see them: words, with marks where one is predicted."""

import dataclasses

import numpy as np

from keras_bert import features
from keras_bert.data.records.outcomes import KEPT
from keras_bert.data.records.outcomes import MASKED
from keras_bert.data.records.outcomes import PLAIN
from keras_bert.data.records.outcomes import RANDOM
from keras_bert.data.records.outcomes import prediction_outcomes

# Of one text the label says nothing.
NSP_MEANINGS = ("B follows A", "B does not follow A")
_ONE_TEXT = "one text"


@dataclasses.dataclass(frozen=True)
class ShownToken:
    """One token of an example as readers see it.

    Args:
        text: str, the word piece, with its marks where it is predicted.
        outcome: "plain", "masked", "random" or "kept".
        continues: bool, no space stands before it.
    """

    text: str
    outcome: str
    continues: bool


@dataclasses.dataclass(frozen=True)
class ShownExample:
    """A record as readers see it.

    Args:
        title: str, where it stands and how long it is.
        parts: dict of lists of `ShownToken`, "A" and, of a pair, "B".
        label: str, the label in words.
    """

    title: str
    parts: dict
    label: str


def join_tokens(tokens):
    """Return a list of `ShownToken` as a line of text."""
    texts = [f"{'' if t.continues else ' '}{t.text}" for t in tokens]
    return "".join(texts).removeprefix(" ")


def show_example(values, row, place, vocabulary):
    """A record as a `ShownExample`: a row of `read_checked_records`.

    Its `place`, a str, is part of the title.
    """
    one = {name: array[row : row + 1] for name, array in values.items()}
    length = int(one[features.INPUT_MASK.name].sum())
    boundary = length - int(one[features.SEGMENT_IDS.name].sum())
    ids = one[features.INPUT_IDS.name][0, :length].tolist()
    predictions, title = {}, f"{place}: {length} tokens"
    if features.MASKED_LM_IDS.name in one:
        mask = vocabulary.roles["mask"]
        predictions = _predictions(one, vocabulary.id_of(mask))
        title += f", {len(predictions)} to predict"
    tokens, continues = [], vocabulary.is_continuation
    for position, shown in enumerate(ids):
        outcome, original = predictions.get(position, (PLAIN, shown))
        pieces = vocabulary.tokens[shown], vocabulary.tokens[original]
        # Where A or B begins, a word may have lost its first pieces.
        inside = continues[original] and position not in (1, boundary)
        tokens.append(_shown_token(*pieces, outcome, inside))
    label = int(one[features.NEXT_SENTENCE_LABELS.name][0, 0])
    parts, meaning = {"A": tokens[:boundary]}, _ONE_TEXT
    if boundary < length:
        parts, meaning = {**parts, "B": tokens[boundary:]}, NSP_MEANINGS[label]
    return ShownExample(title, parts, f"{meaning} ({label})")


def _predictions(one, mask_id):
    """By position, the outcome and the original id."""
    positions = one[features.MASKED_LM_POSITIONS.name][0].tolist()
    labels = one[features.MASKED_LM_IDS.name][0].tolist()
    return {
        positions[index]: (name, labels[index])
        for name, is_it in prediction_outcomes(one, mask_id).items()
        for index in np.flatnonzero(is_it)
    }


def _shown_token(shown, original, outcome, continues):
    text = {
        PLAIN: shown.removeprefix("##") if continues else shown,
        MASKED: f"[MASK→{original}]",
        RANDOM: f"[{shown}*→{original}]",
        KEPT: f"[{original}=]",
    }[outcome]
    return ShownToken(text, outcome, continues)
