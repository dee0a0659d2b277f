"""Text from pipes and devices, which can be read only once."""

import atexit
import json
import pathlib
import shutil
import tempfile
import zlib

from keras_bert.files import named_when_full

_GZIP = b"\x1f\x8b"
_GZIP_BITS = 31  # What zlib calls this format.
_BLOCK_BYTES = 1 << 22


def copy_stream(path):
    """Copies a stream to a temporary file, removed when the process ends.

    Args:
        path: str, such as "/dev/stdin".

    Returns:
        The path of the copy. Its name ends as that of a file with such
        contents does: in ".jsonl" if the first line is a JSON object, in
        ".gz" if it is compressed.
    """
    with open(path, "rb", buffering=0) as stream:
        begin = _read_up_to(stream, _BLOCK_BYTES)
        with tempfile.NamedTemporaryFile(
            prefix="keras_bert-stream-", suffix=_suffix(begin), delete=False
        ) as copy:
            atexit.register(pathlib.Path(copy.name).unlink, missing_ok=True)
            with named_when_full(copy.name):
                copy.write(begin)
                shutil.copyfileobj(stream, copy, _BLOCK_BYTES)
                copy.flush()
    return copy.name


def _read_up_to(stream, size):
    blocks = []
    while size > 0 and (block := stream.read(size)):
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)


def _suffix(begin):
    if not begin.startswith(_GZIP):
        return ".jsonl" if _begins_with_object(begin) else ".txt"
    try:
        text = zlib.decompressobj(_GZIP_BITS).decompress(begin, _BLOCK_BYTES)
    except zlib.error:
        return ".gz"  # What is wrong is told when it is read.
    return ".jsonl.gz" if _begins_with_object(text) else ".gz"


def _begins_with_object(text):
    line, newline, _ = text.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not newline and len(text) >= _BLOCK_BYTES:
        return line.startswith(b'{"')  # It is longer than what is looked at.
    try:
        return line.startswith(b"{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
