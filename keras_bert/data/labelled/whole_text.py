"""The text of a file that is read whole."""

import codecs
import pathlib


def read_text(path):
    """Reads a UTF-8 file, with or without a byte order mark.

    Args:
        path: str.

    Returns:
        A str without the mark and without line ends at the end.

    Raises:
        ValueError: there is no such file, it is empty or no UTF-8, or it
            holds NUL bytes.
    """
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise ValueError(
            f"{path} must be a file to read. Received: {error.strerror}."
        ) from None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError(
            f"{path}, line 1, must be UTF-8 text. Received: the byte order "
            "mark of UTF-16. Save the file as UTF-8."
        )
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise ValueError(
            f"{path}, line {_line_at(data, data.index(0))}, must be UTF-8 "
            "text. Received: a NUL byte. If it is text, save it as UTF-8."
        )
    try:
        text = data.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}, line {_line_at(data, error.start)}, must be UTF-8 text. "
            f"Received: the byte 0x{data[error.start]:02x} "
            f"({error.reason}). Save the file as UTF-8."
        ) from None
    if not text.strip():
        raise ValueError(f"{path} must hold rows. Received: no text.")
    return text


def _line_at(data, position):
    return data.count(b"\n", 0, position) + 1
