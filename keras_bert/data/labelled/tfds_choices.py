"""Questions with choices from a prepared data set of TensorFlow Datasets."""

from keras_bert.data.labelled.multiple_choice import swag_columns
from keras_bert.data.labelled.multiple_choice import swag_examples
from keras_bert.data.labelled.tables import Table
from keras_bert.data.prepared import check_split
from keras_bert.data.prepared import import_tfds
from keras_bert.data.prepared import open_builder

_HIDDEN = -1
# A context and a list of choices, as HellaSwag has them.
_CONTEXT, _ENDINGS = "context", "endings"


def read_tfds_choices(name, split, num_choices=4):
    """Reads a split of a data set. Nothing is downloaded.

    Args:
        name: str, such as "hellaswag", or the directory of a version. It has
            the features of SWAG (`sent1`, `sent2`, `ending0` and so on), or
            `context` and `endings`; and `label`.
        split: str, as of `tfds.load`.
        num_choices: int, how many choices each question has.

    Returns:
        A list of `MultipleChoiceExample`, without labels if these are -1
        throughout or not there.

    Raises:
        ValueError: there is no such data set or split, it is not prepared or
            has other features, or an example is at fault, which is named.
        ImportError: tensorflow-datasets is not installed.
    """
    builder = open_builder(name)
    check_split(builder, split)
    place = f"{builder.info.full_name}:{split}, example"
    names = _features(builder, num_choices)
    label = [x for x in ("label",) if x in builder.info.features]
    rows = _read(builder, split, [*names, *label])
    if not rows:
        raise ValueError(f"{place[:-9]} must hold examples. Received: none.")
    columns = swag_columns(num_choices)
    cells = [
        _cells(row, names, num_choices, f"{place} {number}")
        for number, row in enumerate(rows)
    ]
    table = Table(
        place, [*range(len(rows))], dict(zip(columns, map(list, zip(*cells))))
    )
    if label and any(row["label"] != _HIDDEN for row in rows):
        table.columns["label"] = [_text(row["label"]) for row in rows]
    return swag_examples(table)


def _features(builder, num_choices):
    there = {*builder.info.features}
    known = (swag_columns(num_choices), [_CONTEXT, _ENDINGS])
    for names in known:
        if {*names} <= there:
            return names
    raise ValueError(
        f"{builder.info.full_name} must have the features "
        f"{' or '.join(', '.join(names) for names in known)}. Received: "
        f"{', '.join(sorted(there))}."
    )


def _read(builder, split, names):
    tfds = import_tfds()
    examples = builder.as_dataset(
        split=split,
        decoders=tfds.decode.PartialDecoding(dict.fromkeys(names, True)),
        read_config=tfds.ReadConfig(interleave_cycle_length=1),
        shuffle_files=False,
    )
    return list(examples.as_numpy_iterator())


def _cells(row, names, num_choices, where):
    """The texts of an example, in the order of `swag_columns`."""
    if names[0] != _CONTEXT:
        values = [row[name] for name in names]
    else:
        values = [row[_CONTEXT], b"", *row[_ENDINGS]]
    if len(values) != num_choices + 2:
        raise ValueError(
            f"{where}, must have {num_choices} choices. Received: "
            f"{len(values) - 2}."
        )
    try:
        return [_text(value) for value in values]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{where}, must be UTF-8 text. Received: {error}."
        ) from None


def _text(value):
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
