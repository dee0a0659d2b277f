"""Reader for rows of texts on any Beam filesystem."""

import json
import pathlib

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems

from keras_bert.files.rows import table_rows

BAD_ROWS = "bad_rows"
_KINDS = (".txt", ".csv", ".tsv", ".jsonl")


def check_kinds(paths, ranks):
    """Raise ValueError unless the file formats support the model's inputs."""
    for path in paths:
        suffix = _kind(path)
        if suffix not in _KINDS:
            raise ValueError(
                f"Input files must be {', '.join(_KINDS)}. Received: {path}."
            )
        if suffix == ".txt" and len(ranks) > 1:
            raise ValueError(
                "A .txt file has one text per line, but the model takes "
                f"{len(ranks)} texts. Use a .csv, .tsv or .jsonl file. "
                f"Received: {path}."
            )
        if suffix != ".jsonl" and max(ranks.values()) > 1:
            raise ValueError(
                "The model takes lists of texts, so the input must be a "
                f".jsonl file. Received: {path}."
            )


class ReadRows(beam.DoFn):
    """Step that reads the rows of a file, given its path.

    For each row, the step yields a pair: (path, line number) of the start of
    the row, and a tuple of texts. Invalid rows are emitted to the tagged output
    `BAD_ROWS`.

    Args:
        ranks: dict mapping the names of the columns to 1 for texts or 2 for
            lists of texts.
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
        suffix = _kind(path)
        if suffix == ".txt":
            for number, line in lines:
                if line is not None:
                    yield number, [line.rstrip("\r\n")]
        elif suffix == ".jsonl":
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
    """Yield (line number, text) pairs, with None for invalid lines."""
    number = 0
    while line := file.readline():
        number += 1
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            faults.append((number, f"not UTF-8 text: {error.reason}"))
            text = None
        yield number, text


def _text(value, rank):
    """Check that a value is a text or, for rank 2, a list of texts."""
    texts = [value] if rank == 1 else value
    is_list = isinstance(texts, list) and texts
    if not is_list or not all(isinstance(text, str) for text in texts):
        kind = "a text" if rank == 1 else "a list of texts"
        raise TypeError(f"not {kind}: {value!r}")
    return value
