"""Reader for labelled data in TensorFlow Datasets."""

import numpy as np

from keras_bert.files.tfds_builder import check_split
from keras_bert.files.tfds_builder import decode_text
from keras_bert.files.tfds_builder import open_builder
from keras_bert.files.tfds_builder import read_examples
from keras_bert.tasks.readers.glue_tasks import GLUE_TASKS
from keras_bert.tasks.readers.multiple_choice import swag_columns
from keras_bert.tasks.readers.multiple_choice import swag_examples
from keras_bert.tasks.readers.tables import Table
from keras_bert.typing import Path

# Names of the text features; the first entry that a dataset has is used.
_TEXTS = (
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("premise", "hypothesis"),
    ("question", "sentence"),
    ("sentence",),
    ("text",),
)
# Features of HellaSwag: a context and a list of choices.
_CONTEXT, _ENDINGS = "context", "endings"
_HIDDEN = -1
_BATCH = 1024


def read_tfds(name: str, split: str, data_dir: Path | None = None) -> Table:
    """Read a split of a prepared dataset without downloading anything.

    For GLUE, the result equals the result of `read_glue`.

    Args:
        name: name such as "glue/mrpc", or the directory of a version.
        split: split of `tfds.load`, such as "validation_matched" or
            "train[:10%]".
        data_dir: directory of the datasets. Defaults to TFDS_DATA_DIR.

    Returns:
        A `Table` with the columns `text`, `text_pair` for pairs, and `label`,
        the name of a class or a number. `label` is missing if all labels are
        hidden (-1).

    Raises:
        ValueError: the dataset or split does not exist or is not prepared, it
            has no known text feature, a text is not UTF-8, or only some labels
            are hidden.
        ImportError: tensorflow-datasets is not installed.
    """
    builder, location_prefix = _open(name, split, data_dir)
    scalars = {
        name
        for name, feature in builder.info.features.items()
        if feature.shape == ()
    }
    texts = _first_available(builder, _TEXTS, scalars)
    batches = [
        *read_examples(
            builder, split, scalars & {*texts, "label", "idx"}, _BATCH
        )
    ]
    arrays = {
        name: np.concatenate([batch[name] for batch in batches])
        for name in scalars & {*batches[0]}
    }
    numbers = arrays.get("idx", np.arange(len(arrays[texts[0]])))
    # Examples are stored shuffled; `idx` of GLUE restores the order.
    order = np.argsort(numbers)
    numbers = numbers[order].tolist()
    columns = {
        column: _decoded(arrays[feature][order], location_prefix, numbers)
        # Single texts have no second feature.
        for column, feature in zip(("text", "text_pair"), texts, strict=False)
    }
    if "label" in arrays and not (arrays["label"] == _HIDDEN).all():
        labels = arrays["label"][order]
        columns["label"] = _labels(builder, labels, location_prefix, numbers)
    return Table(location_prefix, numbers, columns)


def read_tfds_choices(name, split, num_choices=4):
    """Read a split of prepared multiple-choice data.

    Args:
        name: str, name such as "hellaswag", or the directory of a version. Its
            features are `sent1`, `sent2`, `ending0` and so on, as in SWAG, or
            `context` and `endings`; and optionally `label`.
        split: str, split of `tfds.load`.
        num_choices: int, number of choices per question.

    Returns:
        A list of `MultipleChoiceExample`, without labels if they are missing or
        all -1.

    Raises:
        ValueError: the dataset or split does not exist or is not prepared, it
            has different features, or an example is invalid.
        ImportError: tensorflow-datasets is not installed.
    """
    builder, location_prefix = _open(name, split)
    available = {*builder.info.features}
    known = (swag_columns(num_choices), [_CONTEXT, _ENDINGS])
    names = _first_available(builder, known, available)
    rows = [*read_examples(builder, split, available & {*names, "label"})]
    numbers = [*range(len(rows))]
    cells = [
        _cells(row, names, num_choices, f"{location_prefix} {number}")
        for number, row in zip(numbers, rows, strict=True)
    ]
    lists = map(list, zip(*cells, strict=True))
    columns = dict(zip(known[0], lists, strict=True))
    if "label" in available and any(row["label"] != _HIDDEN for row in rows):
        columns["label"] = [str(row["label"]) for row in rows]
    return swag_examples(Table(location_prefix, numbers, columns))


def _open(name, split, data_dir=None):
    """Return the builder and a prefix for the locations of its examples."""
    builder = open_builder(name, data_dir)
    check_split(builder, split)
    location_prefix = f"{builder.info.full_name}:{split}"
    if not builder.info.splits[split].num_examples:
        raise ValueError(
            f"{location_prefix} must contain examples, but it is empty."
        )
    return builder, f"{location_prefix}, example"


def _first_available(builder, known, available):
    """Return the first tuple whose names are all features of a dataset."""
    for names in known:
        if {*names} <= available:
            return names
    raise ValueError(
        f"{builder.info.full_name} must have the features of one of: "
        f"{'; '.join(', '.join(names) for names in known)}. Received: "
        f"{', '.join(sorted(available)) or 'none'}."
    )


def _decoded(array, location_prefix, numbers):
    pairs = zip(numbers, array, strict=True)
    return [
        decode_text(text, f"{location_prefix} {number}")
        for number, text in pairs
    ]


def _labels(builder, labels, location_prefix, numbers):
    if labels.dtype.kind == "O":
        return _decoded(labels, location_prefix, numbers)
    if labels.dtype.kind == "f":
        return [str(label) for label in labels]
    hidden = labels == _HIDDEN
    if hidden.any():
        raise ValueError(
            f"{location_prefix} {numbers[hidden.argmax()]}, must have a label, "
            f"like other examples. Received: {_HIDDEN}."
        )
    names = getattr(builder.info.features["label"], "names", None)
    if builder.name == "glue":  # The published files name classes differently.
        task = GLUE_TASKS[builder.builder_config.name.partition("_")[0]]
        if names is None or {*names} != {*task.label_names}:
            names = task.label_names
    return [names[label] if names else str(label) for label in labels]


def _cells(row, names, num_choices, where):
    """Return the texts of an example in the order of `swag_columns`."""
    if names[0] != _CONTEXT:
        values = [row[name] for name in names]
    else:
        values = [row[_CONTEXT], b"", *row[_ENDINGS]]
    if len(values) != num_choices + 2:
        raise ValueError(
            f"{where}, must have {num_choices} choices. Received: "
            f"{len(values) - 2} choices."
        )
    return [decode_text(value, where) for value in values]
