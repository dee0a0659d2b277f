"""Where text comes from, cut into chunks that are read independently.

A source knows its fingerprint, its chunks and the lines of a chunk. Lines are
UTF-8 bytes without white space around them; an empty one ends a document.
"""

import dataclasses
import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator

from keras_bert.data.documents import document_lines
from keras_bert.data.documents import split_lines

CHUNK_BYTES = 1 << 25
_BLOCK_BYTES = 1 << 22
_BLANK_LINE = re.compile(rb"\n[ \t\r\f\v]*\n")


@dataclasses.dataclass(frozen=True)
class TextFile:
    """A text file: a sentence a line, a blank line between documents.

    Args:
        path: str.
    """

    path: str

    @property
    def name(self):
        return self.path

    def num_bytes(self, chunk):
        """About how much text a chunk holds."""
        return chunk[1] - chunk[0]

    def fingerprint(self):
        """The SHA-256 of the file."""
        with open(self.path, "rb") as file:
            digest = hashlib.sha256()
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
        return digest.hexdigest()

    def chunks(self):
        """Byte ranges that end where documents end, as pairs."""
        return _cut(self.path, _BLANK_LINE)

    def lines(self, chunk):
        """Yields the lines of a chunk.

        Raises:
            ValueError: NUL bytes or no UTF-8, at a file and byte offset.
        """
        first, end = chunk
        with open(self.path, "rb") as file:
            file.seek(first)
            yield from split_lines(self.path, _blocks(file, end - first), first)


@dataclasses.dataclass(frozen=True)
class GzipFile(TextFile):
    """A text file compressed by gzip, which is read in one piece."""

    def chunks(self):
        return [(0, os.path.getsize(self.path))]

    def lines(self, chunk):
        del chunk
        try:
            with gzip.open(self.path) as file:
                yield from split_lines(self.path, _blocks(file), 0)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"{self.path} must be a whole gzip file. Received: {error}"
            ) from None


@dataclasses.dataclass(frozen=True)
class JsonLinesFile(TextFile):
    """A file with a JSON object a line, a document each.

    Args:
        path: str; gzip if it ends in ".gz".
        text_key: str, the key of the text.
    """

    text_key: str = "text"

    def fingerprint(self):
        """The SHA-256 of the file, and the key."""
        return f"{super().fingerprint()}, {self.text_key}"

    def chunks(self):
        if self.path.endswith(".gz"):
            return GzipFile(self.path).chunks()
        return _cut(self.path, re.compile(rb"\n"))

    def lines(self, chunk):
        compressed = self.path.endswith(".gz")
        reader = GzipFile(self.path) if compressed else TextFile(self.path)
        for number, line in enumerate(reader.lines(chunk)):
            if line:
                yield from self._document(line, chunk, number)

    def _document(self, line, chunk, number):
        try:
            yield from document_lines(json.loads(line)[self.text_key])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f"{self.path}, line {self._line_number(chunk, number)}, must "
                f"be a JSON object with a string under {self.text_key!r} (see "
                f"--text_key). Received: {line[:60].decode(errors='ignore')!r} "
                f"({type(error).__name__}: {error})."
            ) from None

    def _line_number(self, chunk, number):
        if chunk[0] == 0:
            return number + 1
        with open(self.path, "rb") as file:
            before = sum(b.count(b"\n") for b in _blocks(file, chunk[0]))
        return before + number + 1


def open_sources(paths, text_key="text"):
    """The sources of files, by the ends of their names.

    Args:
        paths: list of str; ".gz" is gzip, ".jsonl" and ".jsonl.gz" are JSON
            lines, all others plain text.
        text_key: str, the key of the text in JSON lines.

    Returns:
        A list of sources.
    """
    sources = []
    for path in paths:
        if path.endswith((".jsonl", ".jsonl.gz")):
            sources.append(JsonLinesFile(path, text_key))
        elif path.endswith(".gz"):
            sources.append(GzipFile(path))
        else:
            sources.append(TextFile(path))
    return sources


def _blocks(file, size=None) -> Iterator[bytes]:
    """Reads a file, or `size` bytes of it, block by block."""
    left = size
    while left is None or left > 0:
        block = file.read(
            _BLOCK_BYTES if left is None else min(left, _BLOCK_BYTES)
        )
        if not block:
            return
        if left is not None:
            left -= len(block)
        yield block


def _cut(path, separator):
    """Byte ranges of about a chunk, each ending with a separator or file."""
    size = os.path.getsize(path)
    cuts = [0]
    with open(path, "rb") as file:
        while cuts[-1] + CHUNK_BYTES < size:
            cuts.append(
                _find_end(file, cuts[-1] + CHUNK_BYTES, separator, size)
            )
    if cuts[-1] < size:
        cuts.append(size)
    return list(zip(cuts, cuts[1:]))


def _find_end(file, position, separator, size):
    """Where the first separator after a position ends, or the file."""
    file.seek(position)
    rest = b""
    for block in _blocks(file):
        data = rest + block
        match = separator.search(data)
        if match:
            return position + match.end()
        # White space at the end may be the beginning of a separator.
        rest = data[len(data.rstrip()) :]
        position += len(data) - len(rest)
    return size
