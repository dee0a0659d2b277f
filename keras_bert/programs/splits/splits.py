"""The splits of a labelled data set: to learn from, to choose by, to answer."""

import dataclasses
import os

import numpy as np
from absl import logging

from keras_bert.data.labelled.glue import read_glue
from keras_bert.data.labelled.glue_tasks import GLUE_TASKS
from keras_bert.data.labelled.glue_tasks import GlueTask
from keras_bert.data.labelled.glue_tasks import glue_task
from keras_bert.data.labelled.tables import Table
from keras_bert.data.labelled.tables import check_filled
from keras_bert.data.labelled.tables import read_cells
from keras_bert.data.labelled.tables import read_table
from keras_bert.data.labelled.tables import with_label_lists

_HELD_OUT = 0.1


@dataclasses.dataclass(frozen=True)
class Splits:
    """Tables of one data set, or what else a task has for examples.

    Attributes:
        train: `Table` with the column `label`; None where nothing is learned.
        dev: dict by split of `Table`, likewise; the first one chooses.
        test: dict by split of `Table`; labels may be hidden.
        glue: `GlueTask`, or None if it is no task of GLUE.
        is_multi_label: bool, whether a label is a tuple of names, perhaps
            empty.
    """

    train: Table | None
    dev: dict
    test: dict
    glue: GlueTask | None = None
    is_multi_label: bool = False

    def all(self):
        """The tables of all splits, a list."""
        train = [] if self.train is None else [self.train]
        return [*train, *self.dev.values(), *self.test.values()]


def held_out(count, seed):
    """Divides examples into those to learn from and those to choose by.

    Args:
        count: int, how many there are.
        seed: int, of which ones.

    Returns:
        Two lists of int, indices in order; the second are a tenth, at least
        one.

    Raises:
        ValueError: there is only one.
    """
    if count < 2:
        raise ValueError(
            "There must be two examples or more to learn from, of SQuAD two "
            "contexts, so that one can be held out to choose by; or give "
            f"--dev_file. Received: {count}."
        )
    order = np.random.default_rng(seed).permutation(count)
    num_held = max(1, int(count * _HELD_OUT))
    logging.info(
        "There is no dev split: %d of %d examples are held out to choose by.",
        num_held,
        count,
    )
    return sorted(order[num_held:].tolist()), sorted(order[:num_held].tolist())


def check_train_split(name, there):
    """Raises ValueError unless a data set has a split "train"."""
    if "train" not in there:
        raise ValueError(
            f"{name} must have a split train. Received: {', '.join(there)}."
        )


def glue_splits(name, data_dir, seed):
    """Reads a task of GLUE from its files.

    Args:
        name: str, such as "mrpc".
        data_dir: str, the directory of the files.
        seed: int, of what is held out if there is no dev split.

    Returns:
        `Splits`; a dev or test split without a file is left out.
    """
    task = glue_task(name)
    there = [
        split
        for split, files in task.files.items()
        if any(os.path.exists(os.path.join(data_dir, x.name)) for x in files)
    ]
    tables = {
        split: read_glue(name, split, data_dir) for split in {"train", *there}
    }
    return _splits(
        tables.pop("train"),
        {split: tables[split] for split in there if split[:3] == "dev"},
        {split: tables[split] for split in there if split[:4] == "test"},
        task,
        seed,
    )


def tfds_splits(name, seed):
    """Reads a prepared data set of TensorFlow Datasets.

    Args:
        name: str, such as "glue/mrpc" or "imdb_reviews".
        seed: int, of what is held out if there is no validation split.

    Returns:
        `Splits`, their names as those of GLUE: "dev" for "validation".
    """
    # Imported late: most do not have TensorFlow Datasets.
    from keras_bert.data.labelled.tfds import read_tfds
    from keras_bert.data.prepared import open_builder

    there = [*open_builder(name).info.splits]
    tables = {
        split: read_tfds(name, split)
        for split in there
        if split.partition("_")[0] in ("train", "validation", "test")
    }
    check_train_split(name, there)
    group, _, task = name.partition("/")
    return _splits(
        tables.pop("train"),
        {
            s.replace("validation", "dev"): table
            for s, table in tables.items()
            if s.startswith("validation")
        },
        {s: table for s, table in tables.items() if s.startswith("test")},
        GLUE_TASKS.get(task.partition(":")[0]) if group == "glue" else None,
        seed,
    )


def file_splits(paths, texts, label, seed, label_separator=None):
    """Reads files of one's own.

    Args:
        paths: dict from "train" and perhaps "dev" and "test" to a file.
        texts: dict from "text" and, of pairs, "text_pair" to a column.
        label: str or int, the column of labels. A test file needs none.
        seed: int, of what is held out if there is no dev file.
        label_separator: str, what stands between the labels of a cell, which
            may be several or none; None for one label a cell.

    Returns:
        `Splits`.
    """

    def read(path):
        if label_separator is None:
            return read_table(path, texts, {"label": label})
        table = read_cells(path, {**texts, "label": label})
        check_filled(table, texts)
        return with_label_lists(table, label_separator)

    dev, test = {}, {}
    train = read(paths["train"])
    if "dev" in paths:
        dev["dev"] = read(paths["dev"])
    if "test" in paths:
        test["test"] = read_table(paths["test"], texts)
    splits = _splits(train, dev, test, None, seed)
    is_multi_label = label_separator is not None
    return dataclasses.replace(splits, is_multi_label=is_multi_label)


def _splits(train, dev, test, glue, seed):
    if "label" not in train.columns:
        raise ValueError(
            f"Examples to learn from must have labels. Received: "
            f"{train.place} {train.numbers[0]}, without one."
        )
    if not dev:
        kept, held = held_out(len(train), seed)
        dev, train = {"dev": train.part(held)}, train.part(kept)
    return Splits(train, dev, test, glue)


def label_names(splits):
    """The labels in order: GLUE's own, or those of the train split, sorted.

    Args:
        splits: `Splits`.

    Returns:
        A list of str.

    Raises:
        ValueError: there are not two of them, or an example has a label that
            none to learn from has.
    """
    if splits.glue:
        return list(splits.glue.label_names)
    names = sorted(
        {x for cell in splits.train.columns["label"] for x in _names(cell)}
    )
    if len(names) < 2:
        raise ValueError(
            f"The examples to learn from, from {splits.train.where(0)} on, "
            "must have two different labels or more. Received: "
            f"{', '.join(map(repr, names)) or 'none'} throughout."
        )
    for table in [*splits.dev.values(), *splits.test.values()]:
        for index, cell in enumerate(table.columns.get("label", [])):
            for name in _names(cell):
                _check_known(name, names, table.where(index))
    return names


def _names(cell):
    return cell if isinstance(cell, tuple) else (cell,)


def _check_known(name, names, where):
    if name not in names:
        raise ValueError(
            f"{where}, must have a label of the examples to learn from: "
            f"{', '.join(names[:10])}. Received: {name!r}. If labels are "
            "numbers to predict, pass --regression."
        )
