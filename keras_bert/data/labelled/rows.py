"""Rows of tables in files, whole or as they come."""

import codecs
import json
import pathlib
import reprlib

from keras_bert.data.labelled.delimited import csv_rows
from keras_bert.data.labelled.delimited import tsv_rows

_DELIMITED = {".csv": csv_rows, ".tsv": tsv_rows, ".txt": tsv_rows}


def raise_fault(message):
    """Stops at a row at fault."""
    raise ValueError(message)


def column_of(name):
    """A column as a flag names it: "sentence", or "0" for a position."""
    return int(name) if name.isdecimal() else name


def table_rows(path, lines, columns, on_bad_row=raise_fault):
    """Gives the chosen cells of a table, row by row; the name tells its kind.

    Args:
        path: str; ".csv" with quotes, ".tsv" and ".txt" with tabs and no
            quoting, or ".jsonl".
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
    kind = pathlib.Path(path).suffix.lower()
    if kind == ".jsonl":
        return _json_rows(path, lines, columns)
    if kind not in _DELIMITED:
        raise ValueError(
            "A table must be a .csv, .tsv, .txt (read as .tsv) or .jsonl "
            f"file. Received: {path}."
        )
    return _DELIMITED[kind](path, lines, columns, on_bad_row)


def read_lines(path):
    """Yields the lines of a UTF-8 file of any size, one after another.

    Args:
        path: str.

    Yields:
        str with its line feed; a byte order mark is left out.

    Raises:
        ValueError: a line is no UTF-8 text.
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
    """The lines without the blank ones that a file ends with."""
    blank = []
    for line in lines:
        if line.strip("\r\n"):
            yield from blank
            blank = []
            yield line
        else:
            blank.append(line)


def read_text(path):
    """Reads a UTF-8 file, with or without a byte order mark.

    Args:
        path: str.

    Returns:
        A str without the mark and without line ends at the end.

    Raises:
        ValueError: there is no such file, it is empty or no UTF-8, or it
            holds NUL bytes.
    """
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise ValueError(
            f"{path} must be a file to read. Received: {error.strerror}."
        ) from None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError(
            f"{path}, line 1, must be UTF-8 text. Received: the byte order "
            "mark of UTF-16. Save the file as UTF-8."
        )
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise ValueError(
            f"{path}, line {_line_at(data, data.index(0))}, must be UTF-8 "
            "text. Received: a NUL byte. If it is text, save it as UTF-8."
        )
    try:
        text = data.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}, line {_line_at(data, error.start)}, must be UTF-8 text. "
            f"Received: the byte 0x{data[error.start]:02x} "
            f"({error.reason}). Save the file as UTF-8."
        ) from None
    if not text.strip():
        raise ValueError(f"{path} must hold rows. Received: no text.")
    return text


def _line_at(data, position):
    return data.count(b"\n", 0, position) + 1


def _json_rows(path, lines, columns):
    """As `csv_rows`: the chosen values of each object, as str.

    A number or a bool is given as JSON writes it, a null as "".
    """
    for name in columns:
        if not isinstance(name, str):
            raise ValueError(
                f"{path} has keys, and a column must be one of them. "
                f"Received: {name!r}."
            )
    for number, line in enumerate(lines, 1):
        place = f"{path}, line {number},"
        values = json_object(place, line.rstrip("\r\n"))
        yield number, [_cell(place, values, name) for name in columns]


def json_object(place, line):
    """The object that a line holds.

    Args:
        place: str, where the line stands, for messages.
        line: str.

    Returns:
        A dict.

    Raises:
        ValueError: it holds none.
    """
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{place} must be a JSON object. Received: {reprlib.repr(line)} "
            f"({error})."
        ) from None
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
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if not isinstance(value, str):
        raise ValueError(
            f"{place} must have a text or a number under {name!r}. Received: "
            f"{reprlib.repr(value)}."
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{place} must have whole characters under {name!r}. Received: "
            f"half a surrogate pair, {ascii(value[error.start])}."
        ) from None
    return value
