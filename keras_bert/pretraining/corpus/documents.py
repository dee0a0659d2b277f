"""Bytes to lines, and lines to documents.

The published form: one sentence a line, a blank line between documents. A
document also ends where its file does.
"""

_BLOCK_BYTES = 1 << 22
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# First bytes of the white space beyond ASCII, U+00A0 and U+3000 among it.
_SPACE_LEADS = frozenset(b"\x1c\x1d\x1e\x1f\xc2\xe1\xe2\xe3")


def split_lines(path, blocks, offset=0):
    """Yields the lines of UTF-8 text, stripped, as bytes.

    Args:
        path: str, the name for error messages.
        blocks: iterable of bytes, the text in pieces of any length.
        offset: int, where in the file the text begins.

    Yields:
        bytes; empty at blank lines.

    Raises:
        ValueError: the text holds NUL bytes or is no UTF-8; the message
            names the file and the byte offset.
    """
    rest = []
    for block in blocks:
        head, newline, tail = block.rpartition(b"\n")
        if not newline:
            rest.append(block)
            continue
        data = b"".join([*rest, head])
        yield from _checked_lines(path, data, offset)
        offset += len(data) + 1
        rest = [tail]
    yield from _checked_lines(path, b"".join(rest), offset)


def _checked_lines(path, data, offset):
    _check_text(path, data, offset)
    if offset == 0:
        data = data.removeprefix(_BYTE_ORDER_MARK)
    for line in data.split(b"\n"):
        yield _strip(line)


def _strip(line):
    """The line without ASCII white space around it, empty if it is blank."""
    line = line.strip()
    if line and line[0] in _SPACE_LEADS and not line.decode("utf-8").strip():
        return b""
    return line


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


def read_lines(path):
    """Yield the lines of a UTF-8 file, by `split_lines`."""
    with open(path, "rb") as file:
        blocks = iter(lambda: file.read(_BLOCK_BYTES), b"")
        yield from split_lines(path, blocks)


def document_lines(text):
    """Yield the lines of one document, stripped bytes, and an empty one.

    Blank lines of `text` are left out, because they would end the document.
    """
    for line in text.encode("utf-8").split(b"\n"):
        line = _strip(line)
        if line:
            yield line
    yield b""


def read_documents(paths):
    """Yield documents of files as lists of sentences (bytes), never empty."""
    for path in paths:
        yield from group_documents(read_lines(path))


def group_documents(lines):
    """Yield the documents of lines, split at empty ones, never empty."""
    document = []
    for line in lines:
        if line:
            document.append(line)
        elif document:
            yield document
            document = []
    if document:
        yield document
