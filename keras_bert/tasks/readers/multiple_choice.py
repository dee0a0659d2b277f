"""Reader for SWAG and CODAH files."""

import itertools

from keras_bert.files.rows import read_dicts
from keras_bert.messages import brief
from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample
from keras_bert.tasks.readers.tables import check_filled
from keras_bert.tasks.readers.tables import read_cells
from keras_bert.typing import Path


def read_swag(
    path: Path, num_choices: int = 4, has_labels: bool = True
) -> list[MultipleChoiceExample]:
    """Read a SWAG file, either the published CSV or JSON lines.

    The context is `sent1`; a choice is `sent2` and one of the endings.

    Args:
        path: path of a ".csv" or ".jsonl" file.
        num_choices: number of endings to read, from `ending0`.
        has_labels: whether to read the `label` column, which is missing from
            the published test split.

    Returns:
        A list of `MultipleChoiceExample`.

    Raises:
        ValueError: a column is missing, a cell other than `sent2` is empty, or
            a label is not the index of a choice. The message names the file
            and the line.
    """
    names = swag_columns(num_choices) + ["label"] * has_labels
    return swag_examples(read_cells(path, dict(zip(names, names, strict=True))))


def swag_columns(num_choices):
    """Return the SWAG column names except `label`."""
    return ["sent1", "sent2", *(f"ending{n}" for n in range(num_choices))]


def num_swag_choices(path):
    """Count the columns ending0, ending1 and so on in a file.

    Args:
        path: str.

    Returns:
        int, the number of columns; 0 if the file lacks the SWAG columns.
    """
    names = next(read_dicts(path), ())
    if not {"sent1", "sent2", "ending1"} <= {*names}:
        return 0
    endings = (f"ending{n}" for n in itertools.count())
    return sum(1 for _ in itertools.takewhile(names.__contains__, endings))


def swag_examples(table):
    """Convert a table with SWAG columns to examples.

    Args:
        table: `Table` with `swag_columns` and optionally `label`.

    Returns:
        A list of `MultipleChoiceExample`.

    Raises:
        ValueError: see `read_swag`. The message names the row.
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


def read_codah(
    path: Path, num_choices: int = 4, has_labels: bool = True
) -> list[MultipleChoiceExample]:
    """Read a CODAH file, a TSV without a header.

    The columns are the category, the prompt (used as context), the choices and
    the label.

    Args:
        path: path of a ".tsv" file.
        num_choices: number of choices per question.
        has_labels: whether to read the labels.

    Returns:
        A list of `MultipleChoiceExample`.

    Raises:
        ValueError: see `read_swag`; no cell may be empty.
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
    """Create examples, where `choices` is a list of columns."""
    labels = table.columns.get("label", [None] * len(table))
    indices = {str(index): index for index in range(len(choices))} | {
        None: None
    }
    for index, label in enumerate(labels):
        if label not in indices:
            raise ValueError(
                f"{table.where(index)}, must have a label from 0 to "
                f"{len(choices) - 1}. Received: {brief(label)}."
            )
    rows = zip(
        table.columns[context], zip(*choices, strict=True), labels, strict=True
    )
    return [
        MultipleChoiceExample(*texts, indices[label], table.where(index))
        for index, (*texts, label) in enumerate(rows)
    ]
