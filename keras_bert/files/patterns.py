"""Expansion of paths and glob patterns for input files."""

import glob
import os

_OPEN_FILES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def expand_patterns(patterns, streams=False):
    """Return the files that comma-separated paths and globs match.

    A file name may contain a comma if it is the only pattern.

    Args:
        patterns: str or list of str, paths or globs separated by commas.
        streams: bool, whether to accept pipes and devices such as "/dev/stdin".

    Returns:
        A sorted list of distinct paths.

    Raises:
        ValueError: a pattern matches nothing, or a match is not a file.
    """
    if isinstance(patterns, str):
        patterns = [patterns]
    if not any(patterns):
        raise ValueError("Pass at least one input file. Received: [].")
    whole = ",".join(patterns)
    if os.path.isfile(whole):
        patterns = [whole]
    else:
        patterns = whole.split(",")
    paths = set()
    for pattern in patterns:
        exists = os.path.lexists(pattern)  # The file name may contain brackets.
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
    """Return whether a file is a pipe or a device and can be read only once."""
    if path.startswith(_OPEN_FILES):
        return True  # Includes files that are open only in this process.
    return os.path.exists(path) and not os.path.isfile(path)


def _check_readable(path, streams):
    if not os.path.exists(path):
        raise ValueError(
            f"Input files must exist. Received: {path!r}, a broken link to "
            f"{os.path.realpath(path)!r}."
        )
    if os.path.isdir(path):
        raise ValueError(
            f"Inputs must be files. Received: the directory {path!r}; "
            f"try {path.rstrip('/')}/*."
        )
    if is_stream(path) and not streams:
        raise ValueError(
            f"Input files must be regular files. Received: {path!r}, a pipe "
            "or a device; write it to a file first."
        )


def total_size(paths):
    """Describe the size of files, such as "3 file(s), 1200 bytes"."""
    size = sum(os.path.getsize(path) for path in paths)
    return f"{len(paths)} file(s), {size} bytes"
