"""Reads record files once, to measure all records and to show a few."""

from keras_bert import features
from keras_bert.data.records.inspection.shown_examples import show_example
from keras_bert.data.records.inspection.statistics import RecordStatistics
from keras_bert.data.records.validation import read_checked_records


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
    statistics, examples = RecordStatistics(), []
    ids = [vocabulary.id_of(vocabulary.roles[x]) for x in ("mask", "sep")]
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
                examples.append(show_example(values, row, place, vocabulary))
            statistics.add(values, *ids)
            number += size
        statistics.counts["files"] += 1
    return statistics, examples
