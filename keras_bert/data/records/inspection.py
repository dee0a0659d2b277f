"""What record files hold: measured over all records, and shown for a few."""

import collections
import dataclasses

import numpy as np

from keras_bert import features
from keras_bert.text.vocabulary import MASK

PLAIN = "plain"
MASKED, RANDOM, KEPT = OUTCOMES = ("masked", "random", "kept")
NSP_MEANINGS = ("B follows A", "B is from another document")
# Bins of half a percent of an example's tokens.
SHARE_BINS = 200


class RecordStatistics:
    """What was measured over records, all of one form.

    Attributes:
        counts: Counter of "files", "records", "tokens" (with [CLS] and
            [SEP]), "padding" and "random_next"; of static records also
            "predictions", "masked", "random" and "kept", of dynamic ones
            "words" and "pieces". A random id that happens to be the original
            counts as kept.
        lengths: int64 array, examples by their number of tokens.
        predicted_shares: int64 `(SHARE_BINS + 1,)`, static examples by the
            share of their tokens that is predicted, in steps of half a
            percent.
        word_lengths: int64 array, words by their number of pieces, of
            dynamic records.
    """

    def __init__(self):
        self.counts = collections.Counter()
        self.lengths = np.zeros(1, np.int64)
        self.predicted_shares = np.zeros(SHARE_BINS + 1, np.int64)
        self.word_lengths = np.zeros(1, np.int64)

    @property
    def is_static(self):
        """Whether the records hold predictions."""
        return "predictions" in self.counts

    @property
    def max_length(self):
        """Length of the longest example; `max_seq_length` of static ones."""
        return len(self.lengths) - 1

    @property
    def short_share(self):
        """The share of the examples that are shorter than `max_length`."""
        return self.lengths[:-1].sum() / max(self.lengths.sum(), 1)

    def share(self, part, whole):
        """One count as a part of another; 0.0 of nothing."""
        return self.counts[part] / max(self.counts[whole], 1)

    def add(self, values, mask_id):
        """Counts a batch.

        Args:
            values: dict of arrays as of `read_checked_records`.
            mask_id: int, id of [MASK].
        """
        mask = values[features.INPUT_MASK.name]
        lengths = mask.sum(axis=1)
        self.lengths = _add_counts(self.lengths, lengths, mask.shape[1])
        self.counts.update(
            records=len(mask),
            tokens=int(lengths.sum()),
            padding=int(mask.size - lengths.sum()),
            random_next=int(values[features.NEXT_SENTENCE_LABELS.name].sum()),
        )
        if features.WORD_STARTS.name in values:
            self._add_words(values)
        else:
            self._add_predictions(values, lengths, mask_id)

    def _add_predictions(self, values, lengths, mask_id):
        outcomes = prediction_outcomes(values, mask_id)
        num_predicted = sum(outcomes.values()).sum(axis=1)
        shares = np.rint(SHARE_BINS * num_predicted / lengths).astype(np.int64)
        self.predicted_shares = _add_counts(self.predicted_shares, shares)
        self.counts.update(
            predictions=int(num_predicted.sum()),
            **{name: int(is_it.sum()) for name, is_it in outcomes.items()},
        )

    def _add_words(self, values):
        column = np.arange(values[features.INPUT_IDS.name].shape[1])
        length = values[features.INPUT_MASK.name].sum(axis=1, keepdims=True)
        boundary = values[features.SEGMENT_BOUNDARY.name]
        in_word = (column > 0) & (column < length - 1)
        in_word &= column != boundary - 1
        starts = values[features.WORD_STARTS.name][in_word]
        sizes = np.bincount(np.cumsum(starts) - 1)
        self.word_lengths = _add_counts(self.word_lengths, sizes)
        self.counts.update(words=len(sizes), pieces=len(starts))


def _add_counts(histogram, values, largest=0):
    added = np.bincount(values, minlength=max(largest + 1, len(histogram)))
    added[: len(histogram)] += histogram
    return added


def prediction_outcomes(values, mask_id):
    """What became of each prediction.

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
        for name, is_it in zip(OUTCOMES, outcomes)
    }


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
        parts: dict of lists of `ShownToken`, "A" and "B".
        label: str, the label in words.
    """

    title: str
    parts: dict
    label: str


def join_tokens(tokens, form=lambda token: token.text):
    """The tokens as a line of text.

    Args:
        tokens: list of `ShownToken`.
        form: function from a token to str.
    """
    texts = [f"{'' if t.continues else ' '}{form(t)}" for t in tokens]
    return "".join(texts).removeprefix(" ")


def inspect_records(paths, vocabulary, num_examples=3):
    """Reads, checks and measures record files.

    Args:
        paths: list of str, TFRecord files of `create_pretraining_data` or of
            google-research/bert; each may have its own `max_seq_length`.
        vocabulary: the `Vocabulary` that they were made with.
        num_examples: int, how many records to show, from the first on.

    Returns:
        `RecordStatistics` and a list of `ShownExample`.

    Raises:
        ValueError: a file is cut or damaged or a record breaks the schema;
            the first such record is named.
    """
    # Imported late: it loads TensorFlow, which the names above do without.
    from keras_bert.data.records.validation import read_checked_records

    statistics, examples = RecordStatistics(), []
    names = None
    for path in paths:
        number = 0
        for values in read_checked_records(path, vocabulary):
            names = names or {*values}
            if names != {*values}:
                raise ValueError(
                    "The files must all be static or all dynamic; inspect "
                    f"the others by themselves. Received: {paths[0]} and "
                    f"{path}, which are of two forms."
                )
            size = len(values[features.INPUT_IDS.name])
            for row in range(min(size, num_examples - len(examples))):
                place = f"Record {number + row} of {path}"
                examples.append(_show(values, row, place, vocabulary))
            statistics.add(values, vocabulary.id_of(MASK))
            number += size
        statistics.counts["files"] += 1
    return statistics, examples


def _show(values, row, place, vocabulary):
    one = {name: array[row : row + 1] for name, array in values.items()}
    length = int(one[features.INPUT_MASK.name].sum())
    boundary = length - int(one[features.SEGMENT_IDS.name].sum())
    ids = one[features.INPUT_IDS.name][0, :length].tolist()
    predictions, title = {}, f"{place}: {length} tokens"
    if features.MASKED_LM_IDS.name in one:
        predictions = _predictions(one, vocabulary.id_of(MASK))
        title += f", {len(predictions)} to predict"
    tokens = []
    for position, shown in enumerate(ids):
        outcome, original = predictions.get(position, (PLAIN, shown))
        pieces = vocabulary.tokens[shown], vocabulary.tokens[original]
        begins = position in (1, boundary)
        tokens.append(_shown_token(*pieces, outcome, begins))
    label = int(one[features.NEXT_SENTENCE_LABELS.name][0, 0])
    return ShownExample(
        title,
        {"A": tokens[:boundary], "B": tokens[boundary:]},
        f"{NSP_MEANINGS[label]} ({label})",
    )


def _predictions(one, mask_id):
    """By position, the outcome and the original id."""
    positions = one[features.MASKED_LM_POSITIONS.name][0].tolist()
    labels = one[features.MASKED_LM_IDS.name][0].tolist()
    return {
        positions[index]: (name, labels[index])
        for name, is_it in prediction_outcomes(one, mask_id).items()
        for index in np.flatnonzero(is_it)
    }


def _shown_token(shown, original, outcome, begins):
    # Where A or B begins, a word may have lost its first pieces.
    continues = original.startswith("##") and original != "##" and not begins
    text = {
        PLAIN: shown[2:] if continues else shown,
        MASKED: f"[MASK→{original}]",
        RANDOM: f"[{shown}*→{original}]",
        KEPT: f"[{original}=]",
    }[outcome]
    return ShownToken(text, outcome, continues)
