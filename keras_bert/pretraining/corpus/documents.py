"""Functions that read lines and documents from plain text files.

The format is the same as for google-research/bert: one sentence per line and
a blank line between documents. The end of a file also ends a document.
"""

_BLOCK_BYTES = 1 << 22
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# First bytes of non-ASCII white space, such as U+00A0 and U+3000.
_SPACE_LEADS = frozenset(b"\x1c\x1d\x1e\x1f\xc2\xe1\xe2\xe3")


def split_lines(path, blocks, offset=0):
    """Yield the stripped lines of UTF-8 text.

    Args:
        path: str, file name to show in error messages.
        blocks: iterable of bytes, the text in blocks of any length.
        offset: int, offset of the text in the file.

    Yields:
        bytes, empty for blank lines.

    Raises:
        ValueError: the text has NUL bytes or is not UTF-8. The message names
            the file and the byte offset.
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
    """Strip ASCII white space from a line."""
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
    """Yield the lines of a UTF-8 file; see `split_lines`."""
    with open(path, "rb") as file:
        blocks = iter(lambda: file.read(_BLOCK_BYTES), b"")
        yield from split_lines(path, blocks)


def document_lines(text):
    """Yield the stripped lines of one document, then an empty line.

    Blank lines of `text` are skipped, because they would end the document.
    """
    for line in text.encode("utf-8").split(b"\n"):
        line = _strip(line)
        if line:
            yield line
    yield b""


def read_documents(paths):
    """Yield the documents in files as non-empty lists of sentences (bytes)."""
    for path in paths:
        yield from group_documents(read_lines(path))


def group_documents(lines):
    """Split lines at empty lines and yield the non-empty documents."""
    document = []
    for line in lines:
        if line:
            document.append(line)
        elif document:
            yield document
            document = []
    if document:
        yield document
