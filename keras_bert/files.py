"""File patterns in, whole files out."""

import contextlib
import errno
import glob
import os
import pathlib
import tempfile

_OPEN_FILES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


def expand_patterns(patterns, streams=False):
    """Names of the files that comma-separated paths and globs match.

    A name may hold a comma if it is all that is given.

    Args:
        patterns: str or list of str, each paths or globs joined by commas.
        streams: bool, let what `is_stream` through, such as "/dev/stdin".

    Returns:
        A sorted list of distinct paths.

    Raises:
        ValueError: a pattern matches nothing or a match is no file.
    """
    if isinstance(patterns, str):
        patterns = [patterns]
    if not any(patterns):
        raise ValueError("Input files must be named. Received: none.")
    whole = ",".join(patterns)
    if os.path.isfile(whole):
        patterns = [whole]
    else:
        patterns = whole.split(",")
    paths = set()
    for pattern in patterns:
        exists = os.path.lexists(pattern)  # Its name may hold brackets.
        matches = [pattern] if exists else glob.glob(pattern, recursive=True)
        if not matches:
            raise ValueError(
                "Input files must exist. No file matches "
                f"{pattern!r} (directory: {os.getcwd()})."
            )
        paths.update(matches)
    for path in paths:
        _check_readable(path, streams)
    return sorted(paths)


def is_stream(path):
    """Whether a file can be read once only: a pipe or a device."""
    if path.startswith(_OPEN_FILES):
        return True  # Also a file that this process alone has open.
    return os.path.exists(path) and not os.path.isfile(path)


def _check_readable(path, streams):
    if not os.path.exists(path):
        raise ValueError(
            f"Input files must exist. Received: {path!r}, a broken link to "
            f"{os.path.realpath(path)!r}."
        )
    if os.path.isdir(path):
        raise ValueError(
            f"Input must be files. Received: the directory {path!r}; "
            f"try {path.rstrip('/')}/*."
        )
    if is_stream(path) and not streams:
        raise ValueError(
            f"Input must be files here. Received: {path!r}, a pipe or a "
            "device; write it to a file first."
        )


def total_size(paths):
    """How much data there is, in words: "3 file(s), 1200 bytes"."""
    size = sum(os.path.getsize(path) for path in paths)
    return f"{len(paths)} file(s), {size} bytes"


def check_writable(directory):
    """Makes a directory if needed and raises ValueError if it is read-only."""
    try:
        pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise ValueError(
            f"Output directory {str(directory)!r} cannot be written: "
            f"{error.strerror}."
        ) from None


@contextlib.contextmanager
def whole_file(path):
    """Gives a temporary name that becomes `path` only when all went well.

    Nothing half-written can then bear the final name, whatever happens.
    """
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with named_when_full(path):
            yield temporary
        os.replace(temporary, path)
    finally:
        pathlib.Path(temporary).unlink(missing_ok=True)


@contextlib.contextmanager
def named_when_full(path):
    """Has the error of a full disk name the file, which a write does not."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL and error.filename is None:
            error.filename = str(path)
        raise
