"""Questions of which one of several choices is right."""

import dataclasses
import itertools

from keras_bert.rows import read_dicts
from keras_bert.summary import Summarized
from keras_bert.tasks.labelled.tables import check_filled
from keras_bert.tasks.labelled.tables import read_cells


@dataclasses.dataclass(frozen=True, repr=False)
class MultipleChoiceExample(Summarized):
    """A context and how it may go on.

    Args:
        context: str, the first text of each pair that a model sees.
        choices: tuple of str, the second texts.
        label: int, the index of the right choice; None if it is not known.
        where: str, its place for messages, such as "train.csv, line 12".
    """

    context: str
    choices: tuple
    label: int | None
    where: str


def read_swag(path, num_choices=4, has_labels=True):
    """Reads a file of SWAG: the published CSV, or JSON lines of its columns.

    The context is `sent1`; a choice is `sent2` and one of the endings.

    Args:
        path: str; ".csv" or ".jsonl".
        num_choices: int, how many endings to read, from `ending0`.
        has_labels: bool, whether to read the column `label`, which the
            published test split lacks.

    Returns:
        A list of `MultipleChoiceExample`.

    Raises:
        ValueError: a column is missing, a cell is empty (only `sent2` may
            be) or a label is no index of a choice. The message names the
            file and the line.
    """
    names = swag_columns(num_choices) + ["label"] * has_labels
    return swag_examples(read_cells(path, dict(zip(names, names, strict=True))))


def swag_columns(num_choices):
    """The columns of SWAG without the label, a list of str."""
    return ["sent1", "sent2", *(f"ending{n}" for n in range(num_choices))]


def num_swag_choices(path):
    """Counts the columns ending0, ending1 and so on of a file.

    Args:
        path: str.

    Returns:
        int; 0 of a file that has not the columns of SWAG.
    """
    names = next(read_dicts(path), ())
    if not {"sent1", "sent2", "ending1"} <= {*names}:
        return 0
    endings = (f"ending{n}" for n in itertools.count())
    return sum(1 for _ in itertools.takewhile(names.__contains__, endings))


def swag_examples(table):
    """The examples of a table with the columns of SWAG.

    Args:
        table: `Table` of `swag_columns` and, if it is known, `label`.

    Returns:
        A list of `MultipleChoiceExample`.

    Raises:
        ValueError: as `read_swag` does; the row is named.
    """
    endings = [name for name in table.columns if name.startswith("ending")]
    check_filled(table, ["sent1", *endings])
    choices = [
        [
            f"{start.strip()} {ending}".lstrip()
            for start, ending in zip(
                table.columns["sent2"], table.columns[name], strict=True
            )
        ]
        for name in endings
    ]
    return _examples(table, "sent1", choices)


def read_codah(path, num_choices=4, has_labels=True):
    """Reads a file of CODAH: TSV without a header.

    Its columns are the category, the prompt, which is the context, the
    choices, and the label.

    Args:
        path: str; ".tsv".
        num_choices: int, how many choices there are.
        has_labels: bool, whether to read the labels.

    Returns:
        A list of `MultipleChoiceExample`.

    Raises:
        ValueError: as `read_swag` does; no cell may be empty.
    """
    names = ["prompt", *(f"answer{index}" for index in range(num_choices))]
    columns = {
        name: column
        for column, name in enumerate(names + ["label"] * has_labels, 1)
    }
    table = read_cells(path, columns)
    check_filled(table, names)
    return _examples(table, "prompt", [table.columns[x] for x in names[1:]])


def _examples(table, context, choices):
    """Make examples; `choices` lists all first choices, all second ones, ..."""
    labels = table.columns.get("label", [None] * len(table))
    indices = {str(index): index for index in range(len(choices))} | {
        None: None
    }
    for index, label in enumerate(labels):
        if label not in indices:
            raise ValueError(
                f"{table.where(index)}, must have a label from 0 to "
                f"{len(choices) - 1}. Received: {label!r}."
            )
    rows = zip(
        table.columns[context], zip(*choices, strict=True), labels, strict=True
    )
    return [
        MultipleChoiceExample(*texts, indices[label], table.where(index))
        for index, (*texts, label) in enumerate(rows)
    ]
