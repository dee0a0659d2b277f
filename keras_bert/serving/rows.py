"""Rows to ask a server, from flags and from files."""

import codecs
import pathlib

from keras_bert.data.labelled.delimited import csv_rows
from keras_bert.data.labelled.delimited import tsv_rows
from keras_bert.data.labelled.rows import json_object
from keras_bert.data.labelled.rows import raise_fault
from keras_bert.data.labelled.rows import read_lines
from keras_bert.data.labelled.rows import without_end
from keras_bert.serving.signature import STRING
from keras_bert.serving.strings import from_bytes
from keras_bert.serving.strings import from_json

_STANDARD_INPUT = "-"


def given_rows(texts, choices=()):
    """Pairs rows of texts that were given one by one with names for messages.

    Texts are lists by the names of inputs; `choices` are those of a single row.

    Raises:
        ValueError: there are more of one input than of another.
    """
    texts = {name: values for name, values in texts.items() if values}
    counts = {name: len(values) for name, values in texts.items()}
    if choices:
        texts["choices"] = [list(choices)]
        counts["choices (of one row)"] = 1
    if len({*counts.values()}) > 1:
        raise ValueError(
            f"Of each input as many must be given. Received: {counts}."
        )
    rows = [
        dict(zip(texts, values, strict=True))
        for values in zip(*texts.values(), strict=True)
    ]
    return [(f"row {number}", row) for number, row in enumerate(rows, 1)]


def file_rows(path, signature):
    """Yields the rows of a file, which may be of any size.

    Args:
        path: str; ".txt", a text a line, of any bytes; ".csv" or ".tsv" with
            a header; ".jsonl", an object a line. Columns and keys are the
            inputs of the signature; others are left out. "-" is standard
            input, with an object a line.
        signature: `Signature`.

    Yields:
        Pairs of where a row stands, for messages, and a dict.

    Raises:
        ValueError: there is no such file, it cannot hold the inputs, or a
            row is at fault.
    """
    suffix = pathlib.Path(path).suffix.lower()
    if path == _STANDARD_INPUT:
        rows = _json_rows("/dev/stdin", signature)
    elif suffix == ".jsonl":
        rows = _json_rows(path, signature)
    elif suffix == ".txt":
        rows = _text_rows(path, signature)
    elif suffix in (".csv", ".tsv"):
        rows = _table_rows(path, signature)
    else:
        raise ValueError(
            "The input must be a .txt, .csv, .tsv or .jsonl file, or - for "
            f"JSON lines from standard input. Received: {path}."
        )
    for number, row in rows:
        yield f"{path}, line {number}", row


def _text_rows(path, signature):
    _check_texts(path, signature)
    if len(signature.inputs) > 1:
        raise ValueError(
            "A .txt has one text a line, and the signature "
            f"{signature.name!r} takes {', '.join(signature.inputs)}. Write a "
            f".csv or .jsonl with these columns. Received: {path}."
        )
    (name,) = signature.inputs
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            yield number, {name: from_bytes(line.rstrip(b"\r\n"))}


def _table_rows(path, signature):
    _check_texts(path, signature)
    read = csv_rows if path.lower().endswith(".csv") else tsv_rows
    names = [*signature.inputs]
    lines = without_end(read_lines(path))
    for number, cells in read(path, lines, names, raise_fault):
        yield number, dict(zip(names, cells, strict=True))


def _check_texts(path, signature):
    """Only JSON has lists and numbers."""
    for name, form in signature.inputs.items():
        if form.dtype != STRING or form.rank not in (None, 1):
            raise ValueError(
                f"{name!r} of the signature {signature.name!r} is no single "
                f"text, and must stand in a .jsonl. Received: {path}."
            )


def _json_rows(path, signature):
    for number, line in enumerate(without_end(read_lines(path)), 1):
        place = f"{path}, line {number},"
        values = json_object(place, line)
        missing = [name for name in signature.inputs if name not in values]
        if missing:
            raise ValueError(
                f"{place} must have the key {missing[0]!r}. Received: "
                f"{', '.join(map(repr, values)) or 'none'}."
            )
        try:
            row = {name: from_json(values[name]) for name in signature.inputs}
        except ValueError as error:
            raise ValueError(f"{place} {error}") from None
        yield number, row
