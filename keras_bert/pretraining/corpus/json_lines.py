"""JSON Lines files as text sources."""

import dataclasses
import json
import re

from absl import logging

from keras_bert.files.rows import check_characters
from keras_bert.pretraining.corpus.documents import document_lines
from keras_bert.pretraining.corpus.text_files import TextFile
from keras_bert.pretraining.corpus.text_files import read_blocks

_NUM_LISTED = 5
_SHOWN_BYTES = 60
_SHOWN_KEYS = 8


class BadLines:
    """Counter for skipped invalid lines, with the first few error messages.

    Attributes:
        count: int, number of lines.
        listed: list of str, messages of the first few lines.
    """

    def __init__(self, count=0, listed=()):
        self.count = count
        self.listed = list(listed[:_NUM_LISTED])

    def add(self, message):
        """Count an invalid line.

        Args:
            message: str, the error and the location of the line.
        """
        self.count += 1
        if len(self.listed) < _NUM_LISTED:
            self.listed.append(message)

    def log(self):
        """Log a warning if lines were skipped."""
        if self.count:
            logging.warning(
                "Skipped %d bad line(s), because on_bad_line='skip'. The "
                "first: %s",
                self.count,
                " ".join(self.listed),
            )


@dataclasses.dataclass(frozen=True)
class JsonLinesFile(TextFile):
    """JSON Lines file where each object is a document.

    Args:
        path: str, path of the file; gzip if it ends in ".gz".
        stream: str, name of the pipe or device that was copied to `path`, or
            None.
        text_key: str, the key of the text.
    """

    text_key: str = "text"

    separator = re.compile(rb"\n")

    def fingerprint(self):
        """Return the SHA-256 of the file and the text key."""
        return f"{super().fingerprint()}, {self.text_key}"

    def lines(self, chunk, bad_lines=None):
        for number, line in enumerate(super().lines(chunk), 1):
            if not line:
                continue
            text, fault = _text_of(line, self.text_key)
            if not fault:
                yield from document_lines(text)
                continue
            shown = line[:_SHOWN_BYTES].decode(errors="ignore")
            message = (
                f"{self.name}, line {self._num_lines(chunk[0]) + number}, must "
                f"be a JSON object with a string under {self.text_key!r}, the "
                f"`text_key`. Received: {shown!r} ({fault})."
            )
            if bad_lines is None:
                raise ValueError(
                    f"{message} Pass on_bad_line='skip' to skip it."
                )
            bad_lines.add(message)

    def _num_lines(self, end):
        """Return the number of lines that end before a byte offset."""
        with open(self.path, "rb") as file:
            return sum(x.count(b"\n") for x in read_blocks(file, end))


def _text_of(line, key):
    """Return the text in a JSON line and None, or None and an error message."""
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            return None, f"not an object, but {type(value).__name__}"
        if key not in value:
            keys = ", ".join(map(repr, [*value][:_SHOWN_KEYS]))
            return None, f"its keys: {keys or 'none'}"
        text = value[key]
        if not isinstance(text, str):
            return None, f"{key!r} is not a string, but {type(text).__name__}"
        check_characters(text, repr(key))
    except (ValueError, RecursionError) as error:
        return None, f"{type(error).__name__}: {error}"
    return text, None
