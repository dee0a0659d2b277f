"""Text files to documents of sentences, as a stream.

The published form: one sentence a line, a blank line between documents. A
document also ends where its file does.
"""

_BLOCK_BYTES = 1 << 22
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(path):
    """Yields the lines of a UTF-8 file, stripped, as bytes.

    Args:
        path: str, the file.

    Yields:
        bytes; empty at blank lines.

    Raises:
        ValueError: the file holds NUL bytes or is no UTF-8; the message
            names the file and the byte offset.
    """
    with open(path, "rb") as file:
        offset, rest = 0, b""
        while block := file.read(_BLOCK_BYTES):
            head, newline, tail = block.rpartition(b"\n")
            if not newline:
                rest += block
                continue
            yield from _split_lines(path, rest + head, offset)
            offset += len(rest) + len(head) + 1
            rest = tail
        yield from _split_lines(path, rest, offset)


def _split_lines(path, data, offset):
    _check_text(path, data, offset)
    if offset == 0:
        data = data.removeprefix(_BYTE_ORDER_MARK)
    for line in data.split(b"\n"):
        yield line.strip()


def _check_text(path, data, offset):
    nul = data.find(b"\0")
    if nul >= 0:
        raise ValueError(
            f"{path} must be UTF-8 text. Received: a NUL byte at offset "
            f"{offset + nul}; is it a binary file or UTF-16?"
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} must be UTF-8 text. Received: byte "
            f"0x{data[error.start]:02x} at offset {offset + error.start}. "
            f"Convert it, for example: iconv -f LATIN1 -t UTF-8 {path}"
        ) from None


def read_documents(paths):
    """Yields documents as lists of sentences (bytes), never empty.

    Args:
        paths: list of str, files in the published form.

    Raises:
        ValueError: as of `read_lines`.
    """
    for path in paths:
        document = []
        for line in read_lines(path):
            if line:
                document.append(line)
            elif document:
                yield document
                document = []
        if document:
            yield document
