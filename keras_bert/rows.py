"""Rows of .csv, .tsv, .jsonl and .txt files, whole or as they come."""

import codecs
import csv
import itertools
import json
import pathlib
import reprlib

_CSV = (
    "In a .csv a text with commas, quotes or line ends stands in double "
    "quotes, and a quote in it is doubled."
)
_TSV = (
    "In a .tsv each tab ends a field, each line end a row, and quotes are "
    "plain characters; texts with tabs or line ends need a .csv or a .jsonl."
)


def raise_fault(message):
    """Raise ValueError for a row at fault."""
    raise ValueError(message)


def column_of(name):
    """Return the column that a flag names: "sentence", or "0" by position."""
    return int(name) if name.isdecimal() else name


def read_lines(path):
    """Yield the lines of a UTF-8 file of any size.

    Args:
        path: str.

    Yields:
        str with its line feed; a byte order mark is left out.

    Raises:
        ValueError: a line is not UTF-8 text.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            try:
                text = line.decode("utf-8")
                fault = "a NUL byte" if "\0" in text else None
            except UnicodeDecodeError as error:
                fault = f"the byte 0x{line[error.start]:02x} ({error.reason})"
            if fault:
                raise ValueError(
                    f"{path}, line {number}, must be UTF-8 text. Received: "
                    f"{fault}. Save the file as UTF-8."
                )
            yield text


def without_end(lines):
    """Yield the lines without the blank ones at the end."""
    blank = []
    for line in lines:
        if line.strip("\r\n"):
            yield from blank
            blank = []
            yield line
        else:
            blank.append(line)


def table_rows(path, lines, columns, on_bad_row=raise_fault):
    """Iterate over the chosen cells of a table.

    Args:
        path: str; ".csv" with quotes, ".tsv" and ".txt" with tabs and no
            quoting, as in GLUE, or ".jsonl".
        lines: iterable of str, its lines with their line feeds.
        columns: list of str, names in the header or keys; or list of int,
            positions from 0 where there is no header.
        on_bad_row: function of a message, called for each row of CSV or TSV
            that has another number of fields than the first. If it returns,
            the row is left out.

    Returns:
        An iterator over pairs of the number of the line where a row begins
        and its chosen cells, a list of str.

    Raises:
        ValueError: a column is missing, or a line is at fault.
    """
    if {type(column) for column in columns} not in ({str}, {int}):
        raise ValueError(
            "Columns must be all names of a header (str), or all numbers (int) "
            f"without one. Received: {columns}."
        )
    if pathlib.Path(path).suffix.lower() == ".jsonl":
        return _json_rows(path, lines, columns)
    fields, hint = _fields(path, lines)
    return _chosen_cells(path, fields, columns, on_bad_row, hint)


def read_dicts(path):
    """Yield the rows of a file with all columns.

    Args:
        path: str; as for `table_rows` with a header, or ".txt" with a text in
            each line.

    Yields:
        A dict; of a ".txt" the column is "text".

    Raises:
        ValueError: a line is at fault.
    """
    kind, lines = pathlib.Path(path).suffix.lower(), read_lines(path)
    if kind == ".txt":
        yield from ({"text": line.rstrip("\r\n")} for line in lines)
    elif kind == ".jsonl":
        for number, line in enumerate(without_end(lines), 1):
            yield json_object(f"{path}, line {number},", line.rstrip("\r\n"))
    else:
        rows, hint = _fields(path, without_end(lines))
        _, header = next(rows, (1, []))
        for place in rows:
            _check_length(path, header, *place, hint, raise_fault)
            yield dict(zip(header, place[1], strict=True))


def _fields(path, lines):
    """Return an iterator over numbered rows of fields, and a hint."""
    kind = pathlib.Path(path).suffix.lower()
    if kind == ".csv":
        return _csv_fields(path, lines), _CSV
    if kind not in (".tsv", ".txt"):
        raise ValueError(
            "A table must be a .csv, .tsv, .txt (read as .tsv) or .jsonl "
            f"file. Received: {path}."
        )
    rows = (line.rstrip("\n").removesuffix("\r").split("\t") for line in lines)
    return enumerate(rows, 1), _TSV


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


def _chosen_cells(path, rows, columns, on_bad_row, hint):
    first_number, first = next(rows, (1, []))
    if hint == _CSV and any("\t" in field for field in first):
        hint += " Line 1 holds tabs: if they end fields, name the file .tsv."
    elif hint == _TSV and len(first) == 1:
        hint += " Line 1 holds no tab: if commas end fields, name it .csv."
    positions = [_position(path, first, column, hint) for column in columns]
    if isinstance(columns[0], int):
        rows = itertools.chain([(first_number, first)], rows)
    for number, row in rows:
        if _check_length(path, first, number, row, hint, on_bad_row):
            yield number, [row[position] for position in positions]


def _check_length(path, first, number, row, hint, on_bad_row):
    """Return whether a row has as many fields as the first."""
    if len(row) != len(first):
        on_bad_row(
            f"{path}, line {number}, must have {len(first)} field(s), as "
            f"line 1 has. Received: {len(row)}: {reprlib.repr(row)}. {hint}"
        )
    return len(row) == len(first)


def _position(path, first, column, hint):
    """Return the position of a column, given by position or by its name."""
    if isinstance(column, int):
        found = [column] if 0 <= column < len(first) else []
        expected = f"have a column of number {column}, from 0"
        received = f"{len(first)} column(s): {reprlib.repr(first)}"
    else:
        found = [n for n, name in enumerate(first) if name == column]
        expected = (
            f"name the column {column!r} once; where there is no header, "
            "columns are numbers from 0"
        )
        received = ", ".join(map(reprlib.repr, first)) or "none"
    if len(found) != 1:
        raise ValueError(
            f"{path}, line 1, must {expected}. Received: {received}. {hint}"
        )
    return found[0]


def _json_rows(path, lines, columns):
    """Yield the chosen values of each object, as str.

    A number or a bool is given as JSON writes it, a null as "".
    """
    if isinstance(columns[0], int):
        raise ValueError(
            f"{path} has keys, and a column must be one of them. "
            f"Received: {columns[0]!r}."
        )
    for number, line in enumerate(lines, 1):
        place = f"{path}, line {number},"
        values = json_object(place, line.rstrip("\r\n"))
        yield number, [_cell(place, values, name) for name in columns]


def json_object(place, line):
    """Return the dict that a line of JSON holds.

    Args:
        place: str, where the line stands, for messages.
        line: str.

    Raises:
        ValueError: the line holds no JSON object.
    """
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(
            f"{place} must be a JSON object. Received: {reprlib.repr(line)}."
        )
    return values


def _cell(place, values, name):
    if name not in values:
        raise ValueError(
            f"{place} must have the key {name!r}. Received: "
            f"{', '.join(map(repr, values)) or 'none'}."
        )
    value = values[name]
    if isinstance(value, list | dict):
        raise ValueError(
            f"{place} must have a text or a number under {name!r}. Received: "
            f"{reprlib.repr(value)}."
        )
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    check_characters(text, f"{place} {name!r}")
    return text


def check_characters(text, place):
    """Raise ValueError if a text from JSON holds half a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{place} must hold whole characters. Received: half a surrogate "
            f"pair, {ascii(text[error.start])}, at character {error.start}."
        ) from None
