"""Readers for labelled datasets with train, dev and test splits."""

import dataclasses
import os

import numpy as np
from absl import logging

from keras_bert.tasks.readers.conll import read_conll
from keras_bert.tasks.readers.glue import read_glue
from keras_bert.tasks.readers.glue_tasks import GLUE_TASKS
from keras_bert.tasks.readers.glue_tasks import GlueTask
from keras_bert.tasks.readers.glue_tasks import glue_task
from keras_bert.tasks.readers.squad import read_squad
from keras_bert.tasks.readers.tables import check_filled
from keras_bert.tasks.readers.tables import read_cells
from keras_bert.tasks.readers.tables import read_table
from keras_bert.tasks.readers.tables import with_label_lists

_HELD_OUT = 0.1


@dataclasses.dataclass(frozen=True)
class Splits:
    """Train, dev and test splits of a dataset.

    The type of a split depends on the format of the data.

    Args:
        train: labelled examples, or None if there is no training.
        dev: dict of labelled splits; the first one selects the best epoch.
        test: dict of splits to predict; labels are optional.
        glue: `GlueTask`, or None for other data.
        is_multi_label: bool, whether labels are tuples of names; a tuple may
            be empty.
    """

    train: object
    dev: dict
    test: dict
    glue: GlueTask | None = None
    is_multi_label: bool = False

    def all(self):
        """Return the data of all splits as a list."""
        train = [] if self.train is None else [self.train]
        return [*train, *self.dev.values(), *self.test.values()]


def make_splits(data, count, part, seed, **more):
    """Create `Splits` and hold out a tenth of `train` if there is no dev split.

    Args:
        data: dict with "train" and any number of splits with names that start
            with "dev" or "test".
        count: int, number of training examples.
        part: callable that takes a list of indices and returns these examples.
        seed: int, seed that selects the held-out examples.
        **more: other arguments of `Splits`.

    Raises:
        ValueError: there are too few examples to hold one out.
    """
    dev, test = (
        {name: x for name, x in data.items() if name.startswith(split)}
        for split in ("dev", "test")
    )
    if dev:
        return Splits(data["train"], dev, test, **more)
    if count < 2:
        raise ValueError(
            "Pass --dev_file, or at least two training examples (for SQuAD "
            "two contexts), because one is held out for validation. "
            f"Received: {count} example(s)."
        )
    order = np.random.default_rng(seed).permutation(count).tolist()
    num_held = max(1, int(count * _HELD_OUT))
    logging.info(
        f"There is no dev split: {num_held} of {count} training examples are "
        "held out for validation."
    )
    held, kept = part(sorted(order[:num_held])), part(sorted(order[num_held:]))
    return Splits(kept, {"dev": held}, test, **more)


def _table_splits(tables, seed, **more):
    train = tables["train"]
    if "label" not in train.columns:
        raise ValueError(
            f"Training examples must have labels. Received: "
            f"{train.place} {train.numbers[0]} without a label."
        )
    return make_splits(tables, len(train), train.subset, seed, **more)


def glue_splits(name, data_dir, seed):
    """Read a GLUE task from its files.

    Args:
        name: str, such as "mrpc".
        data_dir: str, the directory of the files.
        seed: int, selects the held-out examples if there is no dev split.

    Returns:
        `Splits`; a dev or test split without a file is omitted.
    """
    task = glue_task(name)
    tables = {
        split: read_glue(name, split, data_dir)
        for split, files in task.files.items()
        if split == "train"
        or any(os.path.exists(os.path.join(data_dir, x.name)) for x in files)
    }
    return _table_splits(tables, seed, glue=task)


def _tfds_tables(name, read):
    """Read the splits of a TensorFlow Datasets dataset under GLUE's names.

    Raises:
        ValueError: there is no such dataset, or it has no split "train".
    """
    # Import late, because TensorFlow Datasets is optional.
    from keras_bert.files.tfds_builder import open_builder

    names = [*open_builder(name).info.splits]
    if "train" not in names:
        raise ValueError(
            f"{name} must have a split named train. Received: "
            f"{', '.join(names)}."
        )
    return {
        split.replace("validation", "dev"): read(name, split)
        for split in names
        if split.partition("_")[0] in ("train", "validation", "test")
    }


def tfds_splits(name, seed):
    """Read a prepared dataset of TensorFlow Datasets.

    Args:
        name: str, such as "glue/mrpc" or "imdb_reviews".
        seed: int, selects the held-out examples if the dataset has no
            split "validation".

    Returns:
        `Splits` with GLUE's names: "dev" instead of "validation".
    """
    from keras_bert.tasks.readers.tfds import read_tfds

    group, _, task = name.partition("/")
    glue = GLUE_TASKS.get(task.partition(":")[0]) if group == "glue" else None
    return _table_splits(_tfds_tables(name, read_tfds), seed, glue=glue)


def file_splits(paths, texts, label, seed, label_separator=None):
    """Read the user's own files.

    Args:
        paths: dict mapping "train" and optionally "dev" and "test" to files.
        texts: dict mapping "text" and, for pairs, "text_pair" to columns.
        label: str or int, label column; optional in a test file.
        seed: int, selects the held-out examples if there is no dev file.
        label_separator: str, separator of the labels of a cell, which may
            have any number of labels. None for one label in each cell.

    Returns:
        `Splits`.
    """

    def read(split, path):
        if split == "test":
            return read_table(path, texts)
        if label_separator is None:
            return read_table(path, texts, {"label": label})
        table = read_cells(path, {**texts, "label": label})
        check_filled(table, texts)
        return with_label_lists(table, label_separator)

    return _table_splits(
        {split: read(split, path) for split, path in paths.items()},
        seed,
        is_multi_label=label_separator is not None,
    )


def conll_splits(paths, seed, on_stray_tag="error", **columns):
    """Read files of tagged sentences.

    Args:
        paths: dict mapping "train" and optionally "dev" and "test" to files.
        seed: int, seed that selects held-out sentences without a dev file.
        on_stray_tag: as in `read_conll`. Stray tags in the test file are
            always repaired.
        **columns: `tag_column` and `word_column` of `read_conll`.

    Returns:
        `Splits` of `TaggedSentences`.
    """
    repair = {"test": "repair"}
    data = {
        split: read_conll(
            path, on_stray_tag=repair.get(split, on_stray_tag), **columns
        )
        for split, path in paths.items()
    }
    train = data["train"]
    return make_splits(data, len(train.words), train.subset, seed)


def squad_splits(train_file, dev_file, predict_file, seed):
    """Read SQuAD files.

    Args:
        train_file: str, or None if there is no training.
        dev_file: str, file that selects the best epoch. Defaults to
            `predict_file`, or to a tenth of the contexts in `train_file`.
        predict_file: str, questions to answer. Defaults to the dev split.
        seed: int, seed that selects held-out contexts.

    Returns:
        `Splits` of lists of `SquadQuestion`.

    Raises:
        ValueError: a file is not in SQuAD's format.
    """
    paths = {"train": train_file, "dev": dev_file, "test": predict_file}
    if train_file and not dev_file:
        paths = {"train": train_file, "dev": predict_file}
    data = {split: read_squad(path) for split, path in paths.items() if path}
    if not train_file:
        return Splits(None, {}, data)
    train = data["train"]
    contexts = list(dict.fromkeys(q.context for q in train))

    def part(indices):  # Keep all questions about a context together.
        chosen = {contexts[index] for index in indices}
        return [q for q in train if q.context in chosen]

    return make_splits(data, len(contexts), part, seed)


def choice_file_splits(paths, read, num_choices, seed):
    """Read files of multiple-choice questions.

    Args:
        paths: dict mapping "train" and optionally "dev" and "test" to files.
        read: `read_swag` or `read_codah`.
        num_choices: int.
        seed: int, seed that selects held-out questions without a dev file.

    Returns:
        `Splits` of lists of `MultipleChoiceExample`; labels of the test file
        are ignored.
    """
    data = {
        split: read(path, num_choices, split != "test")
        for split, path in paths.items()
    }
    return _choice_splits(data, seed)


def choice_tfds_splits(name, num_choices, seed):
    """Read multiple-choice questions from TensorFlow Datasets.

    Raises:
        ValueError: there is no such dataset, or it has no labelled split
            "train".
    """
    from keras_bert.tasks.readers.tfds import read_tfds_choices

    data = _tfds_tables(name, lambda *x: read_tfds_choices(*x, num_choices))
    return _choice_splits(data, seed)


def _choice_splits(data, seed):
    train = data["train"]

    def part(indices):
        return [train[index] for index in indices]

    splits = make_splits(data, len(train), part, seed)
    for questions in [splits.train, *splits.dev.values()]:
        if questions[0].label is None:
            raise ValueError(
                "The questions in the train and dev files must have labels. "
                f"Received: {questions[0].where} without a label."
            )
    return splits


def label_names(splits):
    """Return the sorted labels of the train split, or GLUE's labels.

    Args:
        splits: `Splits` of `Table`.

    Returns:
        A list of str.

    Raises:
        ValueError: there are fewer than two labels, or an example has a label
            that does not occur in the train split.
    """
    if splits.glue:
        return list(splits.glue.label_names)
    cells = [
        (table.where(index), cell if isinstance(cell, tuple) else (cell,))
        for table in splits.all()
        for index, cell in enumerate(table.columns.get("label", []))
    ]
    names = sorted({x for _, cell in cells[: len(splits.train)] for x in cell})
    if len(names) < 2:
        raise ValueError(
            f"The training examples (from {cells[0][0]} on) must have at "
            "least two different labels. Received: "
            f"{', '.join(map(repr, names)) or 'no label'}."
        )
    for location, cell in cells:
        for name in {*cell} - {*names}:
            raise ValueError(
                f"{location}, must have a label that occurs in the training "
                f"examples: {', '.join(names[:10])}. Received: {name!r}. If "
                "labels are numbers to predict, pass --regression."
            )
    return names
