"""Errors are raised before any training."""

import pytest

from keras_bert.cli.fine_tuning.classification_run import ClassificationRun
from keras_bert.cli.splits.splits import Splits
from keras_bert.tasks.labelled.tables import Table


def _table(place, labels):
    numbers = list(range(2, 2 + len(labels)))
    columns = {"text": ["a"] * len(labels), "label": labels}
    return Table(f"{place}, line", numbers, columns)


def _run(splits, is_regression):
    return ClassificationRun(splits, {}, is_regression)


def test_a_label_that_is_no_number_is_named():
    train = _table("train.tsv", ["1", "2"])
    for split in ("dev", "test"):
        tables = {"dev": {"dev": train}, "test": {}}
        tables[split] = {split: _table("x.tsv", ["1", "two"])}
        with pytest.raises(ValueError, match="x.tsv, line 3, .*'two'"):
            _run(Splits(train, **tables), is_regression=True)
