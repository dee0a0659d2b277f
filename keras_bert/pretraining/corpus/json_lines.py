"""Text in JSON lines: an object a line, a document each."""

import dataclasses
import json
import re

from absl import logging

from keras_bert.pretraining.corpus.documents import document_lines
from keras_bert.pretraining.corpus.text_files import TextFile
from keras_bert.pretraining.corpus.text_files import read_blocks
from keras_bert.rows import check_characters

_NUM_LISTED = 5
_SHOWN_BYTES = 60
_SHOWN_KEYS = 8


class BadLines:
    """Count and first messages of the lines that were skipped.

    Attributes:
        count: int.
        listed: list of str, what is wrong with the first few.
    """

    def __init__(self, count=0, listed=()):
        self.count = count
        self.listed = list(listed[:_NUM_LISTED])

    def add(self, message):
        """Count a line; the message says its fault and its place."""
        self.count += 1
        if len(self.listed) < _NUM_LISTED:
            self.listed.append(message)

    def log(self):
        """Log what was skipped, if anything."""
        if self.count:
            logging.warning(
                "Skipped %d bad line(s), as on_bad_line='skip' says. The "
                "first: %s",
                self.count,
                " ".join(self.listed),
            )


@dataclasses.dataclass(frozen=True)
class JsonLinesFile(TextFile):
    """A file with a JSON object a line, a document each.

    Args:
        path: str; gzip if it ends in ".gz".
        stream: str, the pipe or device of which `path` is a copy.
        text_key: str, the key of the text.
    """

    text_key: str = "text"

    separator = re.compile(rb"\n")

    def fingerprint(self):
        """Return the SHA-256 of the file, and the key."""
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
        """Return how many lines end before a byte offset."""
        with open(self.path, "rb") as file:
            return sum(x.count(b"\n") for x in read_blocks(file, end))


def _text_of(line, key):
    """Return the text in a line of JSON, and its fault, if any."""
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            return None, f"no object, but {type(value).__name__}"
        if key not in value:
            keys = ", ".join(map(repr, [*value][:_SHOWN_KEYS]))
            return None, f"its keys: {keys or 'none'}"
        text = value[key]
        if not isinstance(text, str):
            return None, f"{key!r} is no string, but {type(text).__name__}"
        check_characters(text, repr(key))
    except (ValueError, RecursionError) as error:
        return None, f"{type(error).__name__}: {error}"
    return text, None
