"""Plain and gzip text files, split into chunks."""

import dataclasses
import gzip
import itertools
import os
import re
import sys
import zlib

from keras_bert.files.manifest import sha256
from keras_bert.pretraining.corpus.documents import split_lines

CHUNK_BYTES = 1 << 25
_BLOCK_BYTES = 1 << 22
_GZIP = ".gz"
_BLANK_LINE = re.compile(rb"\n[ \t\r\f\v]*\n")


@dataclasses.dataclass(frozen=True)
class TextFile:
    """Text file with one sentence per line and blank lines between documents.

    Args:
        path: str, path of the file; gzip if it ends in ".gz". A gzip file is a
            single chunk.
        stream: str, name of the pipe or device that was copied to `path`, or
            None.
    """

    path: str
    stream: str | None = None

    separator = _BLANK_LINE

    @property
    def name(self):
        return self.stream or self.path

    def num_bytes(self, chunk):
        """Return the size of a chunk, for progress messages."""
        return chunk[1] - chunk[0]

    def fingerprint(self):
        """Return the SHA-256 of the file, with a note for copied streams."""
        digest = sha256(self.path)
        return digest + (", a stream" if self.stream else "")

    def chunks(self):
        """Return the chunks as byte ranges that end at document boundaries."""
        size = os.path.getsize(self.path)
        if self.path.endswith(_GZIP):
            return [(0, size)]
        cuts = [0]
        with open(self.path, "rb") as file:
            while cuts[-1] + CHUNK_BYTES < size:
                position = cuts[-1] + CHUNK_BYTES
                cuts.append(_find_end(file, position, self.separator, size))
        if cuts[-1] < size:
            cuts.append(size)
        return list(itertools.pairwise(cuts))

    def lines(self, chunk, bad_lines=None):
        """Yield the lines of a chunk.

        Args:
            chunk: one of `chunks`.
            bad_lines: not used; part of the interface of sources.

        Raises:
            ValueError: the text has NUL bytes or is not UTF-8. The message
                names the file and the byte offset.
        """
        del bad_lines
        first, end = chunk
        with open(self.path, "rb") as file:
            if self.path.endswith(_GZIP):
                yield from gzip_lines(self.name, file)
            else:
                file.seek(first)
                blocks = read_blocks(file, end - first)
                yield from split_lines(self.name, blocks, first)


def gzip_lines(name, file):
    """Yield the lines of an open gzip file; error messages contain `name`."""
    try:
        with gzip.GzipFile(fileobj=file) as text:
            yield from split_lines(name, read_blocks(text))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{name} is not a complete gzip file: {error}"
        ) from None


def read_blocks(file, size=sys.maxsize):
    """Iterate over the blocks of a file, or of its next `size` bytes."""
    while size > 0 and (block := file.read(min(size, _BLOCK_BYTES))):
        yield block
        size -= len(block)


def _find_end(file, position, separator, size):
    """Return the end of the next separator, or the end of the file."""
    file.seek(position)
    rest = b""
    for block in read_blocks(file):
        data = rest + block
        match = separator.search(data)
        if match:
            return position + match.end()
        # White space at the end may be the start of a separator.
        rest = data[len(data.rstrip()) :]
        position += len(data) - len(rest)
    return size
