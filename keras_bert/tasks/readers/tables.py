"""Reader for texts and labels in CSV, TSV and JSON-lines files."""

import dataclasses

from keras_bert.files.rows import raise_fault
from keras_bert.files.rows import read_lines
from keras_bert.files.rows import table_rows
from keras_bert.files.rows import without_end
from keras_bert.messages import brief
from keras_bert.summary import Summarized
from keras_bert.typing import Path


@dataclasses.dataclass(frozen=True, repr=False)
class Table(Summarized):
    """Columns of a file with the location of each row.

    Attributes:
        place: str, prefix of each location, such as "train.tsv, line".
        numbers: list of int, number of each row to show in its location.
        columns: dict mapping names to a list of str with an item for each row.
    """

    place: str
    numbers: list[int]
    columns: dict[str, list[str]]

    def __len__(self):
        return len(self.numbers)

    def _facts(self):
        columns = [*self.columns]
        return {"place": self.place, "num_rows": len(self), "columns": columns}

    def where(self, index):
        """Return a row's location for messages, such as "a.tsv, line 12"."""
        return f"{self.place} {self.numbers[index]}"

    def texts(self):
        """Return the texts as a list of str or of pairs of str."""
        texts, pairs = (self.columns.get(x) for x in ("text", "text_pair"))
        return list(zip(texts, pairs, strict=True)) if pairs else texts

    def subset(self, indices):
        """Return a `Table` of the rows with the given indices."""
        columns = {
            name: [cells[index] for index in indices]
            for name, cells in self.columns.items()
        }
        numbers = [self.numbers[index] for index in indices]
        return Table(self.place, numbers, columns)


def read_columns(path: Path, *columns: str | int) -> tuple[list[str], ...]:
    """Read columns of a CSV, TSV or JSON-lines file.

    Args:
        path: path of a ".csv" file (with quotes), a ".tsv" or ".txt" file
            (with tabs, without quotes) or a ".jsonl" file.
        *columns: column names, or column indices from 0 for a file without a
            header.

    Returns:
        A tuple with a list of str for each column.

    Raises:
        ValueError: the format is unknown, a column is missing, or a cell is
            empty. The message names the columns of the file, or the line.

    Example:

    >>> texts, labels = keras_bert.tasks.read_columns(
    ...     "docs/tutorials/data/reviews.csv", "review", "mood"
    ... )
    >>> texts[0], labels[0]
    ('The service was quiet and the bed was warm.', 'good')
    """
    table = read_table(path, {column: column for column in columns})
    return tuple(table.columns[column] for column in columns)


def read_table(
    path: Path,
    texts: dict[str, str | int],
    labels: dict[str, str | int] | None = None,
) -> Table:
    """Read texts and labels from a file with their line numbers.

    Args:
        path: path of a ".csv" file (with quotes), a ".tsv" or ".txt" file
            (with tabs, without quotes) or a ".jsonl" file.
        texts: dict mapping names in the table, such as "text", to columns of
            the file. A column is a name, or an index from 0 for a file without
            a header.
        labels: dict mapping names in the table to label columns.

    Returns:
        A `Table` with all these columns. `read_columns` returns plain lists.

    Raises:
        ValueError: the format is unknown, a column is missing, a cell is empty,
            or a label is NaN.
    """
    labels = labels or {}
    table = read_cells(path, {**texts, **labels})
    check_filled(table, texts)
    check_labels(table, labels)
    return table


def read_cells(path, columns, on_bad_row=raise_fault):
    """Read columns of a file, allowing empty cells.

    Args:
        path: str, see `read_table`.
        columns: dict mapping names in the table to columns of the file.
        on_bad_row: callable that takes a message. It is called for each CSV or
            TSV row with a wrong number of fields. If it returns, the row is
            skipped.

    Returns:
        A `Table`.
    """
    lines = without_end(read_lines(path))
    rows = [*table_rows(path, lines, [*columns.values()], on_bad_row)]
    if not rows:
        raise ValueError(
            f"{path} must contain rows, but is empty or has only a header. For "
            "a file without a header, pass column positions, counted from 0."
        )
    numbers, cells = zip(*rows, strict=True)
    lists = map(list, zip(*cells, strict=True))
    columns = dict(zip(columns, lists, strict=True))
    return Table(f"{path}, line", list(numbers), columns)


def check_filled(table, names):
    """Raise ValueError if a cell is empty or blank.

    Args:
        table: `Table`.
        names: list of str, the columns to check.
    """
    for name in names:
        for index, cell in enumerate(table.columns[name]):
            _check_cell(table, index, name, cell)


def check_labels(table, names):
    """Raise ValueError if a cell is empty, blank, NaN, or true next to 1."""
    for name in names:
        indices = {}
        for index, cell in enumerate(table.columns[name]):
            _check_cell(table, index, name, cell, is_label=True)
            indices[cell.lower()] = index
        if indices.keys() & {"0", "1"} and indices.keys() & {"true", "false"}:
            index = indices.get("true", indices.get("false"))
            raise ValueError(
                f"{table.where(index)}, must have a number as {name}, like "
                f"other rows. Received: {table.columns[name][index]!r}."
            )


def _check_cell(table, index, name, cell, is_label=False):
    is_nan = is_label and cell.strip().lower() == "nan"
    if is_nan or not cell or cell.isspace():
        meaning = ", which marks a missing value" if is_nan else ""
        raise ValueError(
            f"{table.where(index)}, must have a {name}. Received: "
            f"{brief(cell)}{meaning}. Fill it or delete the row."
        )


def with_label_lists(table, separator):
    """Split the cells of the column `label` into several labels.

    Args:
        table: `Table` with the column `label`.
        separator: str between the labels in a cell. White space around labels
            is removed. An empty cell has no labels.

    Returns:
        A `Table` with a tuple of str in each cell of the column.

    Raises:
        ValueError: a label is empty, NaN or repeated in a cell. The message
            names the file and the line.
    """
    rows = []
    for index, cell in enumerate(table.columns["label"]):
        labels = cell.split(separator) if cell.strip() else ()
        rows.append(tuple(map(str.strip, labels)))
        for label in rows[-1]:
            _check_cell(table, index, "label", label, is_label=True)
        if len({*rows[-1]}) < len(rows[-1]):
            raise ValueError(
                f"{table.where(index)}, must have each label once. Received: "
                f"{brief(cell)}."
            )
    columns = {**table.columns, "label": rows}
    return dataclasses.replace(table, columns=columns)
