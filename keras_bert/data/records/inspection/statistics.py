"""What is measured over the records of files."""

import collections

import numpy as np

from keras_bert import features
from keras_bert.data.records.inspection.outcomes import prediction_outcomes

# Bins of half a percent of an example's tokens.
SHARE_BINS = 200


class RecordStatistics:
    """What was measured over records, all of one form.

    Attributes:
        counts: Counter of "files", "records", "tokens" (with [CLS] and
            [SEP]), "padding" and "not_next"; of static records also
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

    def add(self, values, mask_id, sep_id):
        """Counts a batch.

        Args:
            values: dict of arrays as of `read_checked_records`.
            mask_id: int, id of [MASK].
            sep_id: int, id of [SEP].
        """
        mask = values[features.INPUT_MASK.name]
        lengths = mask.sum(axis=1)
        self.lengths = _add_counts(self.lengths, lengths, mask.shape[1])
        self.counts.update(
            records=len(mask),
            tokens=int(lengths.sum()),
            padding=int(mask.size - lengths.sum()),
            not_next=int(values[features.NEXT_SENTENCE_LABELS.name].sum()),
        )
        if features.WORD_STARTS.name in values:
            self._add_words(values, sep_id)
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

    def _add_words(self, values, sep_id):
        in_word = values[features.INPUT_MASK.name] == 1
        in_word &= values[features.INPUT_IDS.name] != sep_id
        in_word[:, 0] = False
        starts = values[features.WORD_STARTS.name][in_word]
        sizes = np.bincount(np.cumsum(starts) - 1)
        self.word_lengths = _add_counts(self.word_lengths, sizes)
        self.counts.update(words=len(sizes), pieces=len(starts))


def _add_counts(histogram, values, largest=0):
    added = np.bincount(values, minlength=max(largest + 1, len(histogram)))
    added[: len(histogram)] += histogram
    return added
