"""Text sources that are split into independent chunks.

A source has a name, a fingerprint, chunks and the lines of each chunk. Lines
are stripped UTF-8 bytes; an empty line ends a document.
"""

import atexit
import gzip
import json
import os
import pathlib
import shutil
import tempfile
import zlib

from keras_bert.files.atomic import disk_full_names_file
from keras_bert.files.patterns import is_stream
from keras_bert.pretraining.corpus.documents import group_documents
from keras_bert.pretraining.corpus.json_lines import JsonLinesFile
from keras_bert.pretraining.corpus.text_files import TextFile

_GZIP = b"\x1f\x8b"
_BLOCK_BYTES = 1 << 22


def open_sources(paths: list[str], text_key: str = "text") -> list[TextFile]:
    """Open text files as sources. The file extension determines the format.

    A stream, such as "/dev/stdin", is copied to a temporary file, which is
    deleted when the process ends. Its first bytes determine the format.

    Args:
        paths: files to open. ".jsonl" and ".jsonl.gz" are JSON Lines, and all
            others are plain text. Files that end in ".gz" are compressed.
        text_key: key of the text in JSON Lines.

    Returns:
        A list with a source for each path, for `pretraining.create_data`.
    """
    sources: list[TextFile] = []
    for path in paths:
        stream = None
        if is_stream(path):
            stream, path = path, copy_stream(path)
        if path.endswith((".jsonl", ".jsonl.gz")):
            sources.append(JsonLinesFile(path, stream, text_key))
        else:
            sources.append(TextFile(path, stream))
    return sources


def source_documents(sources, bad_lines=None):
    """Yield the documents in sources as non-empty lists of bytes."""
    for source in sources:
        if not hasattr(source, "chunks"):
            raise ValueError(
                "`sources` must be a list that `open_sources` returned. "
                f"Received: sources={sources!r:.80}."
            )
        for chunk in source.chunks():
            yield from group_documents(source.lines(chunk, bad_lines))


def copy_stream(path):
    """Copy a stream to a temporary file that is deleted when the process ends.

    Args:
        path: str, such as "/dev/stdin".

    Returns:
        The path of the copy. Its extension depends on the contents: ".jsonl"
        if the first line is a JSON object, and ".gz" if it is compressed.
    """
    with (
        open(path, "rb", buffering=0) as stream,
        tempfile.NamedTemporaryFile(
            prefix="keras_bert-stream-", delete=False
        ) as copy,
    ):
        atexit.register(pathlib.Path(copy.name).unlink, missing_ok=True)
        with disk_full_names_file(copy.name):
            shutil.copyfileobj(stream, copy, _BLOCK_BYTES)
            copy.flush()
    name = copy.name + _suffix(copy.name)
    atexit.register(pathlib.Path(name).unlink, missing_ok=True)
    os.replace(copy.name, name)
    return name


def _suffix(path):
    with open(path, "rb") as file:
        begin = file.read(_BLOCK_BYTES)
    if not begin.startswith(_GZIP):
        return ".jsonl" if _begins_with_object(begin) else ".txt"
    try:
        with gzip.open(path) as file:
            text = file.read(_BLOCK_BYTES)
    except (EOFError, OSError, zlib.error):
        return ".gz"  # The error is raised when the file is read.
    return ".jsonl.gz" if _begins_with_object(text) else ".gz"


def _begins_with_object(text):
    line, newline, _ = text.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not newline and len(text) >= _BLOCK_BYTES:
        return line.startswith(b'{"')  # The line is longer than the block.
    try:
        return line.startswith(b"{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
