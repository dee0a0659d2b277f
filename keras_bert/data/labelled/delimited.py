"""Rows of CSV and of TSV, with or without a header."""

import csv
import itertools
import reprlib

_CSV = (
    "In a .csv a text with commas, quotes or line ends stands in double "
    "quotes, and a quote in it is doubled."
)
_TSV = (
    "In a .tsv each tab ends a field, each line end a row, and quotes are "
    "plain characters; texts with tabs or line ends need a .csv or a .jsonl."
)


def csv_rows(path, lines, columns, on_bad_row):
    """Yields the chosen cells of CSV with quotes.

    Args:
        path: str, for messages.
        lines: iterable of str, its lines with their line feeds.
        columns: list of str, names in the header; or list of int, positions
            from 0 where there is no header.
        on_bad_row: function of a message, called for each row that has
            another number of fields than the first; the row is left out.

    Yields:
        The number of the line where a row begins, and its chosen cells.

    Raises:
        ValueError: a column is missing, or it is no such CSV.
    """
    rows = _csv_fields(path, lines)
    return _chosen_cells(path, rows, columns, on_bad_row, _csv_hint)


def tsv_rows(path, lines, columns, on_bad_row):
    """As `csv_rows`, of TSV in the dialect of GLUE: tabs only, no quoting."""
    rows = (
        (number, line.removesuffix("\n").removesuffix("\r").split("\t"))
        for number, line in enumerate(lines, 1)
    )
    return _chosen_cells(path, rows, columns, on_bad_row, _tsv_hint)


def _csv_hint(first):
    if not any("\t" in field for field in first):
        return _CSV
    return f"{_CSV} Line 1 holds tabs: if they end fields, name the file .tsv."


def _tsv_hint(first):
    if len(first) > 1:
        return _TSV
    return f"{_TSV} Line 1 holds no tab: if commas end fields, name it .csv."


def _csv_fields(path, lines):
    # The module itself sees to "\r\n".
    reader = csv.reader(lines, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(
                f"{path}, line {number}, must begin a row of CSV. Received: "
                f"{error}. {_CSV}"
            ) from None
        yield number, row


def _chosen_cells(path, rows, columns, on_bad_row, hint_of):
    rows = iter(rows)
    first_number, first = next(rows, (1, [""]))
    hint = hint_of(first)
    if isinstance(columns[0], str):
        positions = [_named(path, first, name, hint) for name in columns]
    else:
        positions = [_numbered(path, first, index, hint) for index in columns]
        rows = itertools.chain([(first_number, first)], rows)
    for number, row in rows:
        if len(row) == len(first):
            yield number, [row[position] for position in positions]
        else:
            on_bad_row(
                f"{path}, line {number}, must have {len(first)} field(s), as "
                f"line 1 has. Received: {len(row)}: {reprlib.repr(row)}. "
                f"{hint}"
            )


def _named(path, header, name, hint):
    if header.count(name) != 1:
        raise ValueError(
            f"{path}, line 1, must name the column {name!r} once; where there "
            "is no header, columns are numbers from 0. Received: "
            f"{', '.join(map(reprlib.repr, header))}. {hint}"
        )
    return header.index(name)


def _numbered(path, first, index, hint):
    if not 0 <= index < len(first):
        raise ValueError(
            f"{path}, line 1, must have a column of number {index}, from 0. "
            f"Received: {len(first)} column(s): {reprlib.repr(first)}. {hint}"
        )
    return index
