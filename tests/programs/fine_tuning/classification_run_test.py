"""What is at fault is told before any training; the rest by the program."""

import sys

import pytest

from keras_bert.data.labelled.glue_tasks import glue_task
from keras_bert.data.labelled.tables import Table
from keras_bert.programs.fine_tuning.classification_run import ClassificationRun
from keras_bert.programs.splits.splits import Splits


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


@pytest.mark.parametrize(
    ("name", "package"), [("mrpc", "sklearn"), (None, "scipy")]
)
def test_a_missing_package_is_told(monkeypatch, name, package):
    table = _table("train.tsv", ["0", "1"])
    glue = glue_task(name) if name else None
    for module in [package, *sys.modules]:
        if module.partition(".")[0] == package:
            monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ModuleNotFoundError, match=f"package {package}.*metrics"
    ):
        _run(Splits(table, {"dev": table}, {}, glue), name is None)
