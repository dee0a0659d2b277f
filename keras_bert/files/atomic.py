"""Files that are written whole or not at all."""

import contextlib
import ctypes
import errno
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from keras_bert.messages import errors_name

# Constants of `renameat2`.
_CWD, _EXCHANGE = -100, 2
# Constants of the Windows API.
_SYNCHRONIZE = 0x100000
_WAIT_TIMEOUT = 0x102
_ACCESS_DENIED = 5


def check_writable(directory):
    """Raise ValueError if nothing can be written to a directory.

    For a missing directory, the nearest parent is tested. Nothing is created.
    """
    folder = pathlib.Path(directory)
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"Output directory {str(directory)!r} cannot be written: "
            f"{error.strerror}."
        ) from None


@contextlib.contextmanager
def disk_full_names_file(path):
    """Context manager that adds the file name to "disk full" errors."""
    try:
        yield
    except Exception as error:
        number = getattr(error, "errno", None)
        if os.strerror(errno.ENOSPC) in str(error):
            number = errno.ENOSPC
        is_named = getattr(error, "filename", None) is not None
        if number not in (errno.ENOSPC, errno.EDQUOT) or is_named:
            raise
        raise OSError(number, os.strerror(number), str(path)) from error


@contextlib.contextmanager
def temporary_name(path):
    """Context manager that yields a temporary path next to `path`.

    The folder is created if needed. Leftovers of killed processes are deleted
    first. The temporary file is deleted on exit.
    """
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with disk_full_names_file(path):
            yield temporary
    finally:
        remove_path(temporary)


@contextlib.contextmanager
def atomic_file(path):
    """Context manager that writes `path` through a temporary path."""
    with temporary_name(path) as temporary:
        yield temporary
        move(temporary, path)


def move(source, path):
    """Rename a finished file or directory, and replace the old one.

    After a power failure, `path` has its old or its new content. If both are
    directories, `source` then has the old content.
    """
    source, path = pathlib.Path(source), pathlib.Path(path)
    is_directory = source.is_dir()
    below = [*source.rglob("*")] if is_directory else []
    for written in (*below, source):
        _flush(written)
    if not (is_directory and path.is_dir()):
        os.replace(source, path)
    elif not _exchange(source, path):
        aside = source.with_name(f"{source.name}.old")
        os.replace(path, aside)
        os.replace(source, path)
        os.replace(aside, source)
    _flush(path.parent)


def _flush(path):
    """Write the content of a file or a directory to the disk."""
    if sys.platform == "win32" and path.is_dir():
        return  # Windows has no handles of directories.
    flags = os.O_RDWR if sys.platform == "win32" else os.O_RDONLY
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _exchange(first, second):
    """Exchange two directories atomically, and return whether it succeeded."""
    if sys.platform != "linux":
        return False
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    paths = [os.fsencode(os.path.abspath(path)) for path in (first, second)]
    return exchange is not None and not exchange(
        _CWD, paths[0], _CWD, paths[1], _EXCHANGE
    )


def remove_leftovers(path):
    """Delete the temporary files that killed processes left for an output."""
    for left in left_by_killed(
        path.parent, rf"\.?{re.escape(path.name)}", "tmp"
    ):
        remove_path(left)


def left_by_killed(directory, name, suffix):
    """List the paths `NAME.PROCESS.SUFFIX` of processes that do not run.

    Args:
        directory: `pathlib.Path`.
        name: str, regular expression.
        suffix: str.
    """
    match = re.compile(rf"{name}\.(\d{{1,9}})\.{suffix}").fullmatch
    found = [(path, match(path.name)) for path in directory.iterdir()]
    return [path for path, x in found if x and not _is_running(int(x[1]))]


def _is_running(process):
    """Return True if a process id belongs to another running process."""
    if process == os.getpid():
        return False
    if sys.platform == "win32":  # There, os.kill would send Ctrl-C.
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # Another user's process.
        pass
    return True


def _is_running_on_windows(process):
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    handle = kernel.OpenProcess(_SYNCHRONIZE, False, process)
    if not handle:  # Access is denied to another user's process.
        return ctypes.get_last_error() == _ACCESS_DENIED
    is_running = kernel.WaitForSingleObject(handle, 0) == _WAIT_TIMEOUT
    kernel.CloseHandle(handle)
    return is_running


def remove_path(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def read_json(path):
    """Return the contents of a JSON file, or None if it does not exist."""
    path = pathlib.Path(path)
    with errors_name(path):
        return json.loads(path.read_text("utf-8")) if path.exists() else None


def write_whole(path, data):
    """Write a file atomically, from bytes or a str (UTF-8)."""
    with atomic_file(path) as temporary:
        data = data.encode("utf-8") if isinstance(data, str) else data
        temporary.write_bytes(data)


def write_json(path, values, indent=2, ensure_ascii=True):
    """Write a JSON file atomically."""
    text = json.dumps(values, indent=indent, ensure_ascii=ensure_ascii)
    write_whole(path, text + "\n")
