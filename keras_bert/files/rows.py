"""Row readers for .csv, .tsv, .jsonl and .txt files."""

import codecs
import csv
import itertools
import json
import pathlib

from keras_bert.messages import brief
from keras_bert.messages import listed

_CSV = (
    "In a .csv, put a text with commas, quotes or line breaks in double "
    "quotes, and double each quote in it."
)
_TSV = (
    "In a .tsv, tabs separate fields, line breaks separate rows, and quotes "
    "are plain characters. Use a .csv or a .jsonl for texts with tabs or line "
    "breaks."
)
_TABS = "Line 1 has tabs: if they separate fields, name the file .tsv."
_NO_TABS = "Line 1 has no tab: if commas separate fields, name it .csv."


def raise_fault(message):
    """Raise ValueError for an invalid row."""
    raise ValueError(message)


def column_of(name):
    """Convert a column in a flag to a position (int), or return its name."""
    return int(name) if name.isdecimal() else name


def read_lines(path):
    """Yield the lines of a UTF-8 file of any size.

    Args:
        path: str.

    Yields:
        str, with the line feed and without a byte order mark.

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
    """Yield the lines, except for blank lines at the end of the file."""
    blank = []
    for line in lines:
        if line.strip("\r\n"):
            yield from blank
            blank = []
            yield line
        else:
            blank.append(line)


def table_rows(path, lines, columns, on_bad_row=raise_fault):
    """Iterate over selected columns of a table.

    Args:
        path: str, path of a ".csv" with quoted fields, a ".jsonl", or a ".tsv"
            or ".txt" with tabs and without quoting, as in GLUE.
        lines: iterable of str, the lines of the file with their line feeds.
        columns: list of str, names in the header or keys; or, for a file
            without a header, list of int, positions that start at 0.
        on_bad_row: callable that takes a message. It is called for each CSV or
            TSV row whose number of fields differs from the first row. If it
            returns, the row is skipped.

    Returns:
        An iterator over (first line number of a row, list of its selected
        cells) pairs.

    Raises:
        ValueError: a column is missing, or a line is invalid.
    """
    if {type(column) for column in columns} not in ({str}, {int}):
        raise ValueError(
            "`columns` must be header names (str) or, for a file without a "
            f"header, positions (int). Received: "
            f"columns={brief(columns)}."
        )
    if pathlib.Path(path).suffix.lower() == ".jsonl":
        return _json_rows(path, lines, columns)
    fields, hint = _fields(path, lines)
    return _chosen_cells(path, fields, columns, on_bad_row, hint)


def read_dicts(path):
    """Yield the rows of a file as dicts of all columns.

    Args:
        path: str; ".csv" or ".tsv" with a header, ".jsonl", or ".txt" with
            one text per line.

    Yields:
        A dict mapping column names to values. A ".txt" has the column "text".

    Raises:
        ValueError: a line is invalid.
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
        hint = _with_separator(hint, header)
        for row in rows:
            _check_length(path, header, *row, hint, raise_fault)
            yield dict(zip(header, row[1], strict=True))


def _fields(path, lines):
    """Return an iterator over (line number, fields) pairs and a format hint."""
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
    csv.field_size_limit(2**31 - 1)  # A text may be longer than the default.
    # The csv module handles "\r\n" itself.
    reader = csv.reader(lines, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(
                f"{path}, line {number}, is not valid CSV: {error}. {_CSV}"
            ) from None
        yield number, row


def _chosen_cells(path, rows, columns, on_bad_row, hint):
    first_number, first = next(rows, (1, []))
    hint = _with_separator(hint, first)
    positions = [_position(path, first, column, hint) for column in columns]
    if isinstance(columns[0], int):
        rows = itertools.chain([(first_number, first)], rows)
    for number, row in rows:
        if _check_length(path, first, number, row, hint, on_bad_row):
            yield number, [row[position] for position in positions]


def _with_separator(hint, first):
    """Add advice to the hint if the header has another separator."""
    if hint == _CSV and any("\t" in field for field in first):
        return f"{hint} {_TABS}"
    if hint == _CSV and any(";" in field for field in first):
        return "Line 1 has semicolons. If they separate fields, use commas."
    if hint == _TSV and len(first) == 1:
        return f"{hint} {_NO_TABS}"
    return hint


def _check_length(path, first, number, row, hint, on_bad_row):
    """Return whether a row has as many fields as the first row."""
    if len(row) != len(first):
        on_bad_row(
            f"{path}, line {number}, must have {len(first)} field(s) like line "
            f"1. Received: {len(row)} field(s), {brief(row)}. {hint}"
        )
    return len(row) == len(first)


def _position(path, first, column, hint):
    """Return the position of a column, given by name or by position."""
    if isinstance(column, int):
        found = [column] if 0 <= column < len(first) else []
        expected = f"have a column at position {column}, counted from 0"
        received = f"{len(first)} column(s): {brief(first)}"
    else:
        found = [n for n, name in enumerate(first) if name == column]
        expected = (
            f"contain the column {column!r} once; for a file without a "
            "header, pass column positions, counted from 0"
        )
        received = listed(first)
    if len(found) != 1:
        raise ValueError(
            f"{path}, line 1, must {expected}. Received: {received}. {hint}"
        )
    return found[0]


def _json_rows(path, lines, columns):
    """Yield the selected values of each JSON object, as str.

    Numbers and bools are formatted as in JSON, 1.0 as 1; null and NaN, which
    mark missing values, become "".
    """
    if isinstance(columns[0], int):
        raise ValueError(
            f"A column of {path} must be a key (str), not a position. "
            f"Received: {columns[0]!r}."
        )
    for number, line in enumerate(lines, 1):
        location = f"{path}, line {number},"
        values = json_object(location, line.rstrip("\r\n"))
        yield number, [cell(location, values, name) for name in columns]


def json_object(location, line):
    """Parse a line of JSON to a dict.

    Args:
        location: str, file and line number to show in error messages.
        line: str.

    Raises:
        ValueError: the line is not a JSON object.
    """
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ValueError(
            f"{location} must be a JSON object. Received: {brief(line)}."
        )
    return values


def cell(location, values, name):
    """Return a value of a JSON object as str.

    Args:
        location: str, file and line number to show in error messages.
        values: dict.
        name: str, the key.

    Raises:
        ValueError: the key is missing, or its value is a list or a dict.
    """
    if name not in values:
        raise ValueError(
            f"{location} must have the key {name!r}. "
            f"Received: {listed(values)}."
        )
    value = values[name]
    if isinstance(value, list | dict):
        raise ValueError(
            f"{location} must have a text or a number under {name!r}. "
            f"Received: {brief(value)}."
        )
    if value is None or value != value:  # NaN is not equal to itself.
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    text = value if isinstance(value, str) else json.dumps(value)
    check_characters(text, f"{location} {name!r}")
    return text


def check_characters(text, location):
    """Raise ValueError if a text has an unpaired surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{location} must be valid Unicode. Received: an unpaired "
            f"surrogate, {ascii(text[error.start])}, at character "
            f"{error.start}."
        ) from None
