"""Beam reader that splits text files into chunks of whole documents."""

import os

from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from keras_bert.files.patterns import expand_patterns
from keras_bert.pretraining.corpus.documents import split_lines
from keras_bert.pretraining.corpus.text_files import CHUNK_BYTES
from keras_bert.pretraining.corpus.text_files import gzip_lines
from keras_bert.pretraining.corpus.text_files import read_blocks


def match_files(patterns):
    """Return sorted (path, size) pairs of the files that match patterns.

    Args:
        patterns: list of str, paths and globs.

    Raises:
        ValueError: a pattern matches no file.
    """
    files = {}
    for pattern in patterns or [""]:
        if "://" not in pattern:
            paths = map(os.path.abspath, expand_patterns(pattern))
            files.update((path, os.path.getsize(path)) for path in paths)
            continue
        matches = FileSystems.match([pattern])[0].metadata_list
        if not matches:
            raise ValueError(f"No input file matches {pattern!r}.")
        files.update((file.path, file.size_in_bytes) for file in matches)
    return sorted(files.items())


def match_texts(patterns):
    """Like `match_files`, but raise ValueError for JSON Lines files."""
    files = match_files(patterns)
    for path, _ in files:
        if path.endswith((".jsonl", ".jsonl.gz")):
            raise ValueError(
                f"Input must have one sentence per line. Received: {path}."
            )
    return files


def chunks_of(files):
    """Split files into chunks and return (path, start offset) pairs.

    Args:
        files: list, as returned by `match_texts`. A .gz file is one chunk.
    """
    return [
        (path, first)
        for path, size in files
        for first in range(0, 1 if path.endswith(".gz") else size, CHUNK_BYTES)
    ]


def read_chunk(path, first):
    """Yield the lines of a chunk as bytes.

    A chunk begins after the first blank line that follows its start offset,
    and ends where the next chunk begins. The first chunk begins at offset 0.

    Args:
        path: str, path of the file.
        first: int, start offset of the chunk.

    Raises:
        ValueError: the file is not text, or not a complete gzip file.
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
    """Return the offset after the next blank line, or the end of the file."""
    file.seek(position)
    file.readline()  # Skip the rest of the current line.
    while file.readline().strip():
        pass
    return file.tell()
