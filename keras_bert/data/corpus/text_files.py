"""Text files, plain and compressed, cut into chunks."""

import dataclasses
import gzip
import hashlib
import itertools
import os
import re
import zlib
from collections.abc import Iterator

from keras_bert.data.corpus.documents import split_lines

CHUNK_BYTES = 1 << 25
_BLOCK_BYTES = 1 << 22
_BLANK_LINE = re.compile(rb"\n[ \t\r\f\v]*\n")


@dataclasses.dataclass(frozen=True)
class TextFile:
    """A text file: a sentence a line, a blank line between documents.

    Args:
        path: str.
        stream: str, the pipe or device of which `path` is a copy.
    """

    path: str
    stream: str | None = None

    @property
    def name(self):
        return self.stream or self.path

    def num_bytes(self, chunk):
        """About how much text a chunk holds."""
        return chunk[1] - chunk[0]

    def fingerprint(self):
        """The SHA-256 of the file, and whether it was a stream."""
        with open(self.path, "rb") as file:
            digest = hashlib.sha256()
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
        return digest.hexdigest() + (", a stream" if self.stream else "")

    def chunks(self):
        """Byte ranges that end where documents end, as pairs."""
        return cut(self.path, _BLANK_LINE)

    def lines(self, chunk, bad_lines=None):
        """Yield the lines of one of `chunks`.

        `bad_lines`, a `BadLines` or None, is for files of JSON. NUL bytes and
        what is no UTF-8 are a ValueError with the file and the byte offset.
        """
        del bad_lines
        first, end = chunk
        with open(self.path, "rb") as file:
            file.seek(first)
            yield from split_lines(
                self.name, read_blocks(file, end - first), first
            )


@dataclasses.dataclass(frozen=True)
class GzipFile(TextFile):
    """A text file compressed by gzip, which is read in one piece."""

    def chunks(self):
        return [(0, os.path.getsize(self.path))]

    def lines(self, chunk, bad_lines=None):
        del chunk, bad_lines
        try:
            with gzip.open(self.path) as file:
                yield from split_lines(self.name, read_blocks(file), 0)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"{self.name} must be a whole gzip file. Received: {error}"
            ) from None


def read_blocks(file, size=None) -> Iterator[bytes]:
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


def cut(path, separator):
    """Byte ranges of about a chunk; each ends with a separator or the file."""
    size = os.path.getsize(path)
    cuts = [0]
    with open(path, "rb") as file:
        while cuts[-1] + CHUNK_BYTES < size:
            cuts.append(
                _find_end(file, cuts[-1] + CHUNK_BYTES, separator, size)
            )
    if cuts[-1] < size:
        cuts.append(size)
    return list(itertools.pairwise(cuts))


def _find_end(file, position, separator, size):
    """The end of the first separator after a position, or of the file."""
    file.seek(position)
    rest = b""
    for block in read_blocks(file):
        data = rest + block
        match = separator.search(data)
        if match:
            return position + match.end()
        # White space at the end may be the beginning of a separator.
        rest = data[len(data.rstrip()) :]
        position += len(data) - len(rest)
    return size
