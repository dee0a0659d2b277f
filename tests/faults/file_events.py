"""Changes of files below a folder, which can fail or be photographed.

A change is an audit event of Python or a call of `os.fsync`. Writes of C++ code
are not events; `limited_files` makes them fail.
"""

import contextlib
import errno
import os
import pathlib
import resource
import shutil
import sys
from unittest import mock

_CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_observer = None


def _hook(event, arguments):
    if _observer is not None:
        _observer(event, arguments)


sys.addaudithook(_hook)


@contextlib.contextmanager
def observed(folder, act):
    """Context manager that calls a function before each change.

    Args:
        folder: path; only changes below it count.
        act: function of the number of the change, from 1, and of its
            description. It may raise an error instead of the change.
    """
    count = 0

    def observe(event, arguments):
        global _observer
        change = _change(event, arguments, str(folder))
        if change is None:
            return
        nonlocal count
        count += 1
        former, _observer = _observer, None
        try:
            act(count, change)
        finally:
            _observer = former

    def flush(descriptor, fsync=os.fsync):
        observe("fsync", (descriptor,))
        fsync(descriptor)

    global _observer
    _observer = observe
    try:
        with mock.patch.object(os, "fsync", flush):
            yield
    finally:
        _observer = None


def _change(event, arguments, folder):
    """Return a description of a change below a folder, or None."""
    if event == "ctypes.dlsym" and arguments[1] == "renameat2":
        return "exchange of two directories"
    if event == "fsync":
        path = _path_of(arguments[0])
    elif event in _CHANGES:
        # The last argument is the descriptor of the folder or -1.
        path = _absolute(arguments[0], arguments[-1])
    elif event == "open" and (arguments[2] or 0) & _WRITES:
        path = _absolute(arguments[0], -1)
    else:
        return None
    return f"{event} of {path}" if path.startswith(folder) else None


def _absolute(path, descriptor):
    if isinstance(path, int):
        return _path_of(path)
    folder = _path_of(descriptor) if descriptor != -1 else os.getcwd()
    return os.path.join(folder, os.fsdecode(path))


def _path_of(descriptor):
    return os.readlink(f"/proc/self/fd/{descriptor}")


def failing_at(number):
    """Return an action that fails at one change as on a full disk."""

    def act(count, change):
        if count == number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), change)

    return act


def photographed(folder, snapshots):
    """Return an action that copies the folder as a killed process leaves it.

    Args:
        folder: path.
        snapshots: path of a folder; gets a copy for each change, by number.
    """

    def act(count, _):
        shutil.copytree(folder, pathlib.Path(snapshots, str(count)))

    return act


@contextlib.contextmanager
def limited_files(size):
    """Context manager in which no file grows beyond a size in bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
