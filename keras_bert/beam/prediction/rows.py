"""Rows of texts from files on any file system that Beam knows."""

import json
import pathlib

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems

from keras_bert.rows import table_rows

BAD_ROWS = "bad_rows"
_KINDS = (".txt", ".csv", ".tsv", ".jsonl")


def check_kinds(paths, ranks):
    """Raises ValueError unless `ReadRows` can read the ranks from the paths."""
    for path in paths:
        kind = _kind(path)
        if kind not in _KINDS:
            raise ValueError(
                f"Input must be {', '.join(_KINDS)}. Received: {path}."
            )
        if kind == ".txt" and len(ranks) > 1:
            raise ValueError(
                "A line of a .txt is one text, and the model takes "
                f"{len(ranks)}. Give a .csv, .tsv or .jsonl. "
                f"Received: {path}."
            )
        if kind != ".jsonl" and max(ranks.values()) > 1:
            raise ValueError(
                "Lists of texts, which the model takes, stand in a .jsonl "
                f"only. Received: {path}."
            )


class ReadRows(beam.DoFn):
    """A path to the rows of its file; those at fault go to `BAD_ROWS`.

    A row is a pair: the file with the line where the row begins, and a tuple
    of its texts.

    Args:
        ranks: dict from the names of the columns to 1, if a cell is a text,
            or 2, if it is a list of texts.
    """

    def __init__(self, ranks):
        self._ranks = ranks

    def process(self, path):
        faults = []
        with FileSystems.open(path) as file:
            for line, texts in self._rows(path, _decoded(file, faults), faults):
                yield (path, line), tuple(texts)
        for line, fault in faults:
            values = {"file": path, "line": line, "fault": fault}
            yield beam.pvalue.TaggedOutput(BAD_ROWS, values)

    def _rows(self, path, lines, faults):
        kind = _kind(path)
        if kind == ".txt":
            for number, line in lines:
                if line is not None:
                    yield number, [line.rstrip("\r\n")]
        elif kind == ".jsonl":
            yield from self._json_rows(lines, faults)
        else:
            yield from table_rows(
                path.removesuffix(".gz"),
                (line or "\n" for _, line in lines),
                [*self._ranks],
                lambda fault: faults.append((None, fault)),
            )

    def _json_rows(self, lines, faults):
        for number, line in lines:
            if line is None or not line.strip():
                continue
            try:
                row = json.loads(line)
                texts = [_text(row[k], rank) for k, rank in self._ranks.items()]
            except (KeyError, TypeError, ValueError) as error:
                faults.append((number, f"{type(error).__name__}: {error}"))
            else:
                yield number, texts


def _kind(path):
    return pathlib.PurePath(path.removesuffix(".gz")).suffix.lower()


def _decoded(file, faults):
    """Pairs the number of a line with its text, None where it is at fault."""
    number = 0
    while line := file.readline():
        number += 1
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            faults.append((number, f"no UTF-8 text: {error.reason}"))
            text = None
        yield number, text


def _text(value, rank):
    """Checks a text, or of rank 2 a list of texts."""
    texts = [value] if rank == 1 else value
    is_list = isinstance(texts, list) and texts
    if not is_list or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"not {'a text' if rank == 1 else 'texts'}: {value!r}")
    return value
