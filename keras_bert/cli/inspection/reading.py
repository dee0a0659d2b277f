"""Functions that check record files and collect statistics and examples."""

import collections

import numpy as np

from keras_bert import features
from keras_bert.cli.inspection.shown_examples import show_example
from keras_bert.pretraining.job.record_facts import read_record_facts
from keras_bert.pretraining.records.mask_outcomes import prediction_outcomes
from keras_bert.pretraining.records.validation import read_checked_records
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_from_files


class RecordStatistics:
    """Counts and histograms over records with static or dynamic masking.

    Attributes:
        counts: Counter of "files", "records", "tokens" (with [CLS] and
            [SEP]), "padding" and "not_next" (records with label 1). Static
            records add "predictions", "masked", "random" and "kept"; dynamic
            records add "words" and "pieces". A random id that equals the
            original id counts as kept.
        lengths: int64 array, number of examples by length in tokens.
        word_lengths: int64 array, number of words by length in pieces; only
            for dynamic records.
    """

    def __init__(self):
        self.counts = collections.Counter()
        self.lengths = np.zeros(1, np.int64)
        self.word_lengths = np.zeros(1, np.int64)

    @property
    def is_static(self):
        """True if the records contain masked positions and labels."""
        return "predictions" in self.counts

    @property
    def max_length(self):
        """Length of the longest example; `max_seq_length` if static."""
        return len(self.lengths) - 1

    @property
    def short_share(self):
        """Fraction of the examples that are shorter than `max_length`."""
        return self.lengths[:-1].sum() / max(self.lengths.sum(), 1)

    def share(self, part, whole):
        """Divide the count of a part by the count of the whole."""
        return self.counts[part] / max(self.counts[whole], 1)

    def add(self, values, mask_id, sep_id):
        """Add a batch of arrays from `read_checked_records`."""
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
            in_word = mask == 1
            in_word &= values[features.INPUT_IDS.name] != sep_id
            in_word[:, 0] = False
            starts = values[features.WORD_STARTS.name][in_word]
            sizes = np.bincount(np.cumsum(starts) - 1)
            self.word_lengths = _add_counts(self.word_lengths, sizes)
            self.counts.update(words=len(sizes), pieces=len(starts))
        else:
            outcomes = prediction_outcomes(values, mask_id)
            counts = {name: int(x.sum()) for name, x in outcomes.items()}
            self.counts.update(predictions=sum(counts.values()), **counts)


def _add_counts(histogram, values, largest=0):
    added = np.bincount(values, minlength=max(largest + 1, len(histogram)))
    added[: len(histogram)] += histogram
    return added


def inspect_records(paths, vocabulary, num_examples=3):
    """Read and check record files.

    Args:
        paths: list of str, TFRecord files of `create_pretraining_data` or of
            google-research/bert; `max_seq_length` may differ between files.
        vocabulary: the `Vocabulary` that the files were created with.
        num_examples: int, number of records to show.

    Returns:
        `RecordStatistics` and a list of str, as returned by `show_example`.

    Raises:
        ValueError: a file is truncated or damaged, or a record violates the
            schema; the message names the first such record.
    """
    statistics, examples = RecordStatistics(), []
    ids = [vocabulary.id_of(vocabulary.roles[x]) for x in ("mask", "sep")]
    names = None
    for path in paths:
        number = 0
        for values in read_checked_records(path, vocabulary):
            names = names or {*values}
            if names != {*values}:
                raise ValueError(
                    "All files must have the same masking, static or dynamic; "
                    f"inspect the others separately. Received: {paths[0]} "
                    f"and {path}, which differ."
                )
            size = len(values[features.INPUT_IDS.name])
            for row in range(min(size, num_examples - len(examples))):
                location = f"Record {number + row} of {path}"
                examples.append(show_example(values, row, location, vocabulary))
            statistics.add(values, *ids)
            number += size
        statistics.counts["files"] += 1
    return statistics, examples


def check_manifests(paths, vocab_file, vocabulary):
    """Check a vocabulary and its file against the manifests of records.

    Raises:
        ValueError: a manifest has a different vocabulary or casing, or a file
            differs from its manifest.
    """
    facts = read_record_facts(paths)
    facts.check_vocabulary(vocabulary, vocab_file)
    casing = facts.manifest_values["do_lower_case"]
    if casing:
        agreed_casing(vocabulary, {**casing_from_files(vocab_file), **casing})
