"""Text on any file system that Beam knows, in chunks of whole documents."""

import os

from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from keras_bert.files import expand_patterns
from keras_bert.pretraining.corpus.documents import split_lines
from keras_bert.pretraining.corpus.text_files import CHUNK_BYTES
from keras_bert.pretraining.corpus.text_files import gzip_lines
from keras_bert.pretraining.corpus.text_files import read_blocks


def match_files(patterns):
    """The files of patterns, as sorted pairs of a path and a size.

    Args:
        patterns: list of str, paths and globs.

    Raises:
        ValueError: a pattern matches nothing.
    """
    files = {}
    for pattern in patterns or [""]:
        if "://" not in pattern:
            paths = map(os.path.abspath, expand_patterns(pattern))
            files.update((path, os.path.getsize(path)) for path in paths)
            continue
        found = FileSystems.match([pattern])[0].metadata_list
        if not found:
            raise ValueError(f"Input must exist. No file matches {pattern!r}.")
        files.update((file.path, file.size_in_bytes) for file in found)
    return sorted(files.items())


def match_texts(patterns):
    """As `match_files`; ValueError also for a file that is no plain text."""
    files = match_files(patterns)
    for path, _ in files:
        if path.endswith((".jsonl", ".jsonl.gz")):
            raise ValueError(
                f"Input must be text, a sentence a line. Received: {path}."
            )
    return files


def chunks_of(files):
    """The chunks of files, as pairs of a path and where a chunk begins.

    Args:
        files: list of `match_texts`. A .gz file is one chunk.
    """
    return [
        (path, first)
        for path, size in files
        for first in range(0, 1 if path.endswith(".gz") else size, CHUNK_BYTES)
    ]


def read_chunk(path, first):
    """Yields the lines of a chunk, as bytes.

    It begins and ends at the first blank line after its borders.

    Args:
        path: str.
        first: int, where it begins.

    Raises:
        ValueError: it is no text, or no whole gzip file.
    """
    with FileSystems.open(
        path, compression_type=CompressionTypes.UNCOMPRESSED
    ) as file:
        if path.endswith(".gz"):
            yield from gzip_lines(path, file)
            return
        end = _next_document(file, first + CHUNK_BYTES)
        start = _next_document(file, first) if first else 0
        file.seek(start)
        yield from split_lines(path, read_blocks(file, end - start), start)


def _next_document(file, position):
    """The next beginning of a document: past a blank line, or the end."""
    file.seek(position)
    file.readline()  # The rest of a line.
    while file.readline().strip():
        pass
    return file.tell()
