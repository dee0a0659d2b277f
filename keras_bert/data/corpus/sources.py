"""Where text comes from, cut into chunks that are read independently.

A source knows its name, its fingerprint, its chunks and the lines of a chunk.
Lines are UTF-8 bytes without white space around them; an empty one ends a
document.
"""

from keras_bert.data.corpus.documents import group_documents
from keras_bert.data.corpus.json_lines import JsonLinesFile
from keras_bert.data.corpus.streams import copy_stream
from keras_bert.data.corpus.text_files import GzipFile
from keras_bert.data.corpus.text_files import TextFile
from keras_bert.files import is_stream


def open_sources(paths, text_key="text"):
    """The sources of files, by the ends of their names.

    A stream, such as "/dev/stdin", is copied to a temporary file, which is
    removed when the process ends; what it holds is told by how it begins.

    Args:
        paths: list of str; ".gz" is gzip, ".jsonl" and ".jsonl.gz" are JSON
            lines, all others plain text.
        text_key: str, the key of the text in JSON lines.

    Returns:
        A list of sources.
    """
    sources = []
    for path in paths:
        stream = None
        if is_stream(path):
            stream, path = path, copy_stream(path)
        if path.endswith((".jsonl", ".jsonl.gz")):
            sources.append(JsonLinesFile(path, stream, text_key))
        elif path.endswith(".gz"):
            sources.append(GzipFile(path, stream))
        else:
            sources.append(TextFile(path, stream))
    return sources


def source_documents(sources, bad_lines=None):
    """Yields the documents of sources, lists of bytes that are never empty.

    Args:
        sources: list of sources.
        bad_lines: `BadLines`, what is skipped; None stops at it.
    """
    for source in sources:
        for chunk in source.chunks():
            yield from group_documents(source.lines(chunk, bad_lines))
