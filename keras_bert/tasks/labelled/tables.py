"""Tables of texts and labels: CSV, TSV and JSON lines."""

import dataclasses

from keras_bert.rows import raise_fault
from keras_bert.rows import read_lines
from keras_bert.rows import table_rows
from keras_bert.rows import without_end
from keras_bert.summary import Summarized


@dataclasses.dataclass(frozen=True, repr=False)
class Table(Summarized):
    """Columns of one file, and where each row stands in it.

    Attributes:
        place: str, of what rows have numbers: "train.tsv, line".
        numbers: list of int, one a row.
        columns: dict from a name to a list of str, one a row.
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
        """The place of a row for a message: "train.tsv, line 12"."""
        return f"{self.place} {self.numbers[index]}"

    def texts(self):
        """The texts, a list of str; of pairs, a list of pairs of str."""
        texts, pairs = (self.columns.get(x) for x in ("text", "text_pair"))
        return list(zip(texts, pairs, strict=True)) if pairs else texts

    def part(self, indices):
        """Some of the rows, by their indices, as a `Table`."""
        columns = {
            name: [cells[index] for index in indices]
            for name, cells in self.columns.items()
        }
        numbers = [self.numbers[index] for index in indices]
        return Table(self.place, numbers, columns)


def read_columns(path, *columns):
    """Read columns of a CSV, TSV or JSON-lines file.

    Args:
        path: str; ".csv" with quotes, ".tsv" and ".txt" with tabs and no
            quoting, or ".jsonl".
        *columns: names of columns, str; or, for a file without a header,
            their positions from 0, int.

    Returns:
        A tuple with a list of str for each column.

    Raises:
        ValueError: the file is of another kind, a column is missing, or a
            cell is empty. The message names the columns of the file, or the
            line.

    Example:

    >>> texts, labels = keras_bert.tasks.read_columns(
    ...     "docs/tutorials/data/reviews.csv", "review", "mood"
    ... )
    >>> texts[0], labels[0]
    ('The service was quiet and the bed was warm.', 'good')
    """
    table = read_table(path, {column: column for column in columns})
    return tuple(table.columns[column] for column in columns)


def read_table(path, texts, labels=None):
    """Read texts and labels of a file with the lines where they stand.

    Args:
        path: str; ".csv" with quotes, ".tsv" and ".txt" with tabs and no
            quoting, or ".jsonl".
        texts: dict from a name in the returned table, such as "text", to a
            column of the file: its name; or, without a header, its position
            from 0.
        labels: dict of the same form.

    Returns:
        A `Table` of all these columns. `read_columns` returns plain lists.

    Raises:
        ValueError: the file is of another kind, a column is missing, or a
            cell is empty or, in a label, NaN.
    """
    labels = labels or {}
    table = read_cells(path, {**texts, **labels})
    check_filled(table, texts)
    check_labels(table, labels)
    return table


def read_cells(path, columns, on_bad_row=raise_fault):
    """Reads columns of a file; cells may be empty.

    Args:
        path: str, as `read_table` takes it.
        columns: dict from a name in the table to a column of the file.
        on_bad_row: function of a message, called for each row of CSV or TSV
            that has another number of fields than the first. If it returns,
            the row is left out.

    Returns:
        A `Table`.
    """
    lines = without_end(read_lines(path))
    rows = [*table_rows(path, lines, [*columns.values()], on_bad_row)]
    if not rows:
        raise ValueError(
            f"{path} must hold rows. Received: none, or a header only. "
            "Without a header, columns are numbers from 0."
        )
    numbers, cells = zip(*rows, strict=True)
    lists = map(list, zip(*cells, strict=True))
    columns = dict(zip(columns, lists, strict=True))
    return Table(f"{path}, line", list(numbers), columns)


def check_filled(table, names):
    """Raises ValueError if a cell is empty or blank.

    Args:
        table: `Table`.
        names: list of str, columns of it.
    """
    for name in names:
        for index, cell in enumerate(table.columns[name]):
            _check_cell(table, index, name, cell)


def check_labels(table, names):
    """Raise ValueError if a cell is empty, blank or NaN."""
    for name in names:
        for index, cell in enumerate(table.columns[name]):
            _check_cell(table, index, name, cell, is_label=True)


def _check_cell(table, index, name, cell, is_label=False):
    is_nan = is_label and cell.strip().lower() == "nan"
    if is_nan or not cell or cell.isspace():
        meaning = ", which is written for a missing value" if is_nan else ""
        raise ValueError(
            f"{table.where(index)}, must have a {name}. Received: {cell!r}"
            f"{meaning}. Fill it or leave the row out."
        )


def with_label_lists(table, separator):
    """Cuts the labels of a table.

    Args:
        table: `Table` with the column `label`.
        separator: str, what stands between the labels of a cell; white space
            around them is dropped. An empty cell has none.

    Returns:
        A `Table` with a tuple of str for each cell of that column.

    Raises:
        ValueError: a label is empty, NaN or twice in a cell. The message
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
                f"{cell!r}."
            )
    columns = {**table.columns, "label": rows}
    return dataclasses.replace(table, columns=columns)
