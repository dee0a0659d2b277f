"""Cells that hold several labels, or none."""

import dataclasses

from keras_bert.data.labelled.tables import Table
from keras_bert.data.labelled.tables import check_labels


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
    cells = table.columns["label"]
    rows = [_cut(cell, separator) for cell in cells]
    flat = [(n, name) for n, row in zip(table.numbers, rows) for name in row]
    numbers, names = zip(*flat) if flat else ((), ())
    check_labels(Table(table.place, numbers, {"label": names}), ["label"])
    for index, row in enumerate(rows):
        if len({*row}) < len(row):
            raise ValueError(
                f"{table.where(index)}, must have each label once. Received: "
                f"{cells[index]!r}."
            )
    columns = {**table.columns, "label": rows}
    return dataclasses.replace(table, columns=columns)


def _cut(cell, separator):
    if not cell.strip():
        return ()
    return tuple(name.strip() for name in cell.split(separator))
