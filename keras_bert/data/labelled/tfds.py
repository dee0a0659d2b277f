"""Texts and labels from a prepared data set of TensorFlow Datasets."""

import numpy as np

from keras_bert.data.labelled.glue_tasks import GLUE_TASKS
from keras_bert.data.labelled.tables import Table
from keras_bert.data.prepared import check_split
from keras_bert.data.prepared import import_tfds
from keras_bert.data.prepared import open_builder

# The first of which a data set has all are its text and its pair.
_TEXTS = (
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("premise", "hypothesis"),
    ("question", "sentence"),
    ("sentence",),
    ("text",),
)
_HIDDEN = -1
_BATCH = 1024


def read_tfds(name, split, data_dir=None):
    """Reads a split of a data set. Nothing is downloaded.

    Of GLUE it gives what `read_glue` does, in the order of the files.

    Args:
        name: str, such as "glue/mrpc", or the directory of a version.
        split: str, as of `tfds.load`: "validation_matched", "train[:10%]".
        data_dir: str, where data sets are; TFDS_DATA_DIR by default.

    Returns:
        A `Table` of the columns `text`, `text_pair` for pairs, and `label`,
        the name of a class or a number, unless it is -1 throughout, which
        is to say hidden.

    Raises:
        ValueError: there is no such data set or split, it is not prepared,
            it has no texts under a known name, a text is no UTF-8, or only
            some labels are hidden.
        ImportError: tensorflow-datasets is not installed.
    """
    builder = open_builder(name, data_dir)
    check_split(builder, split)
    place = f"{builder.info.full_name}:{split}, example"
    texts = _text_features(builder)
    arrays = _read_arrays(builder, split, [*texts, "label", "idx"])
    numbers = arrays.get("idx", np.arange(len(arrays[texts[0]])))
    # Examples are stored shuffled; GLUE tells their places.
    order = np.argsort(numbers)
    numbers = numbers[order].tolist()
    arrays = {key: array[order] for key, array in arrays.items()}
    columns = {
        column: _decoded(arrays[feature], place, numbers)
        for column, feature in zip(("text", "text_pair"), texts)
    }
    if "label" in arrays and not (arrays["label"] == _HIDDEN).all():
        columns["label"] = _labels(builder, arrays["label"], place, numbers)
    return Table(place, numbers, columns)


def _scalars(builder):
    """The names of the features of one value an example."""
    features = builder.info.features.items()
    return {name for name, feature in features if feature.shape == ()}


def _text_features(builder):
    there = _scalars(builder)
    for names in _TEXTS:
        if {*names} <= there:
            return names
    known = "; ".join(" and ".join(names) for names in _TEXTS)
    raise ValueError(
        f"{builder.info.full_name} must have texts as one of: {known}. "
        f"Received: {', '.join(sorted(there)) or 'none'}."
    )


def _read_arrays(builder, split, names):
    if builder.info.splits[split].num_examples == 0:
        raise ValueError(
            f"{builder.info.full_name}:{split} must hold examples. Received: "
            "none."
        )
    tfds = import_tfds()
    names = {*names} & _scalars(builder)
    batches = builder.as_dataset(
        split=split,
        batch_size=_BATCH,
        decoders=tfds.decode.PartialDecoding(dict.fromkeys(names, True)),
        read_config=tfds.ReadConfig(interleave_cycle_length=1),
        shuffle_files=False,
    )
    batches = list(batches.as_numpy_iterator())
    return {
        name: np.concatenate([batch[name] for batch in batches])
        for name in names
    }


def _decoded(array, place, numbers):
    texts = []
    for number, text in zip(numbers, array):
        try:
            texts.append(text.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{place} {number}, must be UTF-8 text. Received: {error}."
            ) from None
    return texts


def _labels(builder, labels, place, numbers):
    if labels.dtype.kind == "O":
        return _decoded(labels, place, numbers)
    if labels.dtype.kind == "f":
        return [str(label) for label in labels]
    hidden = labels == _HIDDEN
    if hidden.any():
        raise ValueError(
            f"{place} {numbers[hidden.argmax()]}, must have a label, as "
            f"others have. Received: {_HIDDEN}."
        )
    names = _label_names(builder)
    return [names[label] if names else str(label) for label in labels]


def _label_names(builder):
    """The names of classes, as GLUE's files have them; None for numbers."""
    names = getattr(builder.info.features["label"], "names", None)
    if builder.name != "glue":
        return names
    task = GLUE_TASKS[builder.builder_config.name.partition("_")[0]]
    return names if {*names} == {*task.label_names} else task.label_names
