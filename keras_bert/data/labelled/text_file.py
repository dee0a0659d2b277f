"""The texts of a file of any size, row by row."""

import dataclasses
import pathlib

from keras_bert.data.labelled.rows import read_lines
from keras_bert.data.labelled.rows import table_rows
from keras_bert.data.labelled.rows import without_end


def column_of(name):
    """A column as a flag names it: "sentence", or "0" for a position."""
    return int(name) if name.isdecimal() else name


@dataclasses.dataclass(frozen=True)
class TextFile:
    """A file that is read again and again, and never as a whole.

    Args:
        path: str; ".txt", a text a line; ".csv", ".tsv" or ".jsonl".
        columns: list of the columns of the text and, of pairs, its pair:
            names or, where there is no header, positions from 0; None for a
            ".txt".

    Raises:
        ValueError: there is no such file, or columns of a ".txt".
    """

    path: str
    columns: list | None = None

    def __post_init__(self):
        if not pathlib.Path(self.path).is_file():
            raise ValueError(
                f"The input must be a file. Received: {self.path}."
            )
        is_plain = pathlib.Path(self.path).suffix.lower() == ".txt"
        if is_plain != (self.columns is None):
            raise ValueError(
                "Columns are for .csv, .tsv and .jsonl; in a .txt each line "
                f"is a text. Received: columns={self.columns}, {self.path}."
            )

    def rows(self):
        """Yields pairs of the line where a row begins and its texts.

        A text may be empty, and so may a line of a ".txt".

        Raises:
            ValueError: a row is at fault; its line is named.
        """
        lines = read_lines(self.path)
        if self.columns is not None:
            yield from table_rows(self.path, without_end(lines), self.columns)
            return
        for number, line in enumerate(lines, 1):
            yield number, [line.rstrip("\r\n")]
