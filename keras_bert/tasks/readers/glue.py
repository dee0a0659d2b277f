"""Reader for the published GLUE files."""

import math
import os

from absl import logging

from keras_bert import checks
from keras_bert.files.rows import raise_fault
from keras_bert.messages import brief
from keras_bert.tasks.readers.glue_tasks import glue_task
from keras_bert.tasks.readers.tables import Table
from keras_bert.tasks.readers.tables import check_labels
from keras_bert.tasks.readers.tables import read_cells
from keras_bert.typing import Path

_SHOWN = 80


def read_glue(task: str, split: str, data_dir: Path) -> Table:
    """Read a split of a GLUE task from its published files.

    Some published texts are empty. Broken rows in the train and dev splits of
    QQP are skipped; a warning reports their number.

    Args:
        task: name of the task, such as "mrpc"; one of `GLUE_TASKS`.
        split: "train", "dev" or "test"; for MNLI also "dev_matched" and so on.
        data_dir: directory of the files.

    Returns:
        A `Table` with the columns `text`, `text_pair` for pairs, and `label`
        unless the labels are hidden, as in test splits.

    Raises:
        ValueError: the task, split or file does not exist, or the file differs
            from the published format.
    """
    task = glue_task(task)
    file = _find_file(task, split, data_dir)
    path = os.path.join(data_dir, file.name)
    columns = dict(file.texts)
    if file.label is not None:
        columns["label"] = file.label
    broken = []
    on_bad_row = broken.append if file.has_broken_rows else raise_fault
    table = read_cells(path, columns, on_bad_row)
    if broken:
        logging.warning(
            "Skipped %d malformed row(s). The first: %s",
            len(broken),
            broken[0],
        )
    if file.label is not None:
        check_labels(table, ["label"])
        _check_glue_labels(task, table)
    return table


def _check_glue_labels(task, table):
    is_right, expected = _is_finite, "a number"
    if not task.is_regression:
        is_right = task.label_names.__contains__
        expected = f"one of {', '.join(task.label_names)}"
    for index, label in enumerate(table.columns["label"]):
        if not is_right(label):
            raise ValueError(
                f"{table.where(index)}, must have a label of {task.name}, "
                f"{expected}. Received: {brief(label)}."
            )


def _is_finite(label):
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False


def _find_file(task, split, data_dir):
    checks.one_of(task.files, split=split)
    for file in task.files[split]:
        if os.path.exists(os.path.join(data_dir, file.name)):
            return file
    names = " or ".join(file.name for file in task.files[split])
    is_there = os.path.isdir(data_dir)
    held = sorted(os.listdir(data_dir)) if is_there else ["no directory"]
    raise ValueError(
        f"{data_dir} must be the directory of {task.name} and contain {names}. "
        f"Received: {', '.join(held)[:_SHOWN] or 'an empty one'}."
    )
