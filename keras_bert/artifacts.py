"""Atomic outputs with manifests, and work directories of resumable runs.

An output must be new or, if `overwrite` is True, a file of this library. It
must never be an input. A file belongs to this library if a manifest in its
folder lists it with its size. A manifest also records settings for the next
program, such as casing, lengths and masking.
"""

import contextlib
import errno
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

MANIFEST = "manifest.json"
_MADE_BY = "keras_bert"
_LOCK = "lock"
_BLOCK_BYTES = 1 << 20
_MOST_NAMED = 5
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
        _remove(temporary)


@contextlib.contextmanager
def atomic_file(path):
    """Context manager that writes `path` through a temporary path."""
    with temporary_name(path) as temporary:
        yield temporary
        os.replace(temporary, path)


@contextlib.contextmanager
def file(path, context=None, inputs=(), overwrite=False):
    """Context manager that writes `path` atomically and adds a manifest.

    Args:
        path: str.
        context: JSON-serializable dict of settings for the manifest. The block
            may change the dict, because it is read on exit.
        inputs: list of str, input files and directories.
        overwrite: bool, whether to replace a file of this library.

    Raises:
        ValueError: `path` may not be written, see `check_files`.
    """
    path = pathlib.Path(path)
    check_files([path], inputs, overwrite)
    with atomic_file(path) as temporary:
        yield temporary
        files = {path.name: temporary}
        write_manifest(manifest_path_for(path), files, context or {})


@contextlib.contextmanager
def directory(path, context=None, inputs=(), overwrite=False, is_kind=None):
    """Context manager that writes a directory atomically, with a manifest.

    Earlier contents of `path` are kept until all files are written.

    Args:
        path: str.
        context: JSON-serializable dict of settings for the manifest. The block
            may change the dict, because it is read on exit.
        inputs: list of str, input files and directories.
        overwrite: bool, whether to replace a directory of this library.
        is_kind: as in `check_directory`.

    Raises:
        ValueError: `path` may not be written, see `check_directory`.
    """
    check_directory(path, inputs, overwrite, is_kind)
    with temporary_name(path) as staging:
        staging.mkdir()
        yield staging
        finish_directory(staging, path, context)


def finish_directory(staging, path, context=None):
    """Rename a directory to `path`, with a manifest of its files."""
    record_directory(staging, context)
    remove_own(path)
    (staging / _LOCK).unlink(missing_ok=True)
    os.replace(staging, path)


def remove_leftovers(path):
    """Delete the temporary files that killed processes left for an output."""
    name = re.compile(rf"\.?{re.escape(path.name)}\.(\d{{1,9}})\.tmp").fullmatch
    for left in path.parent.iterdir():
        match = name(left.name)
        if match and not _is_running(int(match[1])):
            _remove(left)


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
    import ctypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    handle = kernel.OpenProcess(_SYNCHRONIZE, False, process)
    if not handle:  # Access is denied to another user's process.
        return ctypes.get_last_error() == _ACCESS_DENIED
    is_running = kernel.WaitForSingleObject(handle, 0) == _WAIT_TIMEOUT
    kernel.CloseHandle(handle)
    return is_running


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def read_json(path):
    """Return the contents of a JSON file, or None if it does not exist."""
    path = pathlib.Path(path)
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


def sha256(path):
    """Return the SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def fingerprint(path):
    """Return a SHA-256 that identifies an input.

    Args:
        path: str, a file; a directory, without its subdirectories; or any
            other name, which is hashed itself.
    """
    if os.path.isfile(path):
        return sha256(path)
    files = sorted(pathlib.Path(path).glob("*"))
    sums = [sha256(file) for file in files if file.is_file()]
    text = "".join(sums) if sums else str(path)
    return hashlib.sha256(text.encode()).hexdigest()


def file_entry(path):
    """Return the manifest entry of a file, with its size and SHA-256."""
    return {**size_entry(path), "sha256": sha256(path)}


def size_entry(path):
    """Return the manifest entry of a file, with its size."""
    return {"bytes": os.path.getsize(path)}


def is_listed(path, *entries):
    """Return True if one of the entries lists the size of a file.

    Entries that are None are skipped.
    """
    sizes = [entry["bytes"] for entry in entries if entry]
    return os.path.isfile(path) and os.path.getsize(path) in sizes


def manifest_path_for(path):
    """Return the path of the manifest of a single file.

    The name begins with "manifest-", so that glob patterns for the files
    do not match it.
    """
    path = pathlib.Path(path)
    return path.with_name(f"manifest-{path.name}.json")


def manifest_values(entries, context):
    """Return the contents of a manifest.

    Args:
        entries: dict mapping names of files, relative to the manifest's folder,
            to `size_entry` or `file_entry`.
        context: JSON-serializable dict.
    """
    made = {"made_by": _MADE_BY, "command": sys.argv}
    return {**made, **context, "files": entries}


def write_manifest(path, files, context):
    """Write a manifest with the sizes and the SHA-256 of files.

    Args:
        path: str, "manifest.json" in the files' directory, or
            `manifest_path_for` a single file.
        files: dict mapping names, relative to the manifest's folder, to the
            current paths of the files.
        context: JSON-serializable dict.
    """
    entries = {name: file_entry(file) for name, file in files.items()}
    write_json(path, manifest_values(entries, context))


def record_directory(directory, context=None):
    """Write a manifest with the sizes of all files in a directory.

    Args:
        directory: str.
        context: JSON-serializable dict, settings for the manifest.
    """
    entries = {
        name: size_entry(path)
        for name, path in _files(directory).items()
        if name not in (MANIFEST, _LOCK)
    }
    values = manifest_values(entries, context or {})
    write_json(pathlib.Path(directory, MANIFEST), values)


def _files(directory):
    """Return all files of a directory by their relative names."""
    return {
        path.relative_to(directory).as_posix(): path
        for path in sorted(pathlib.Path(directory).rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def read_manifest(path):
    """Return the values of a manifest of this library, or None."""
    try:
        values = json.loads(pathlib.Path(path).read_text("utf-8"))
        is_own = values["made_by"] == _MADE_BY and all(
            "bytes" in entry for entry in values["files"].values()
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return values if is_own else None


def own_files(directory):
    """Return the entries of a directory's manifest, or {}.

    The dict also has an entry for the manifest.
    """
    manifest = pathlib.Path(directory, MANIFEST)
    values = read_manifest(manifest)
    return {**values["files"], MANIFEST: size_entry(manifest)} if values else {}


def manifest_of(path):
    """Return the manifest in a file's folder that lists the file.

    Args:
        path: str, an existing file.

    Returns:
        The path and the values of the manifest, or two None if no manifest
        lists the file.

    Raises:
        ValueError: a manifest lists the file with a different size or hash.
    """
    manifest, values = _listing(path)
    if manifest is not None:
        listed = values["files"][os.path.basename(path)]
        entry = file_entry if "sha256" in listed else size_entry
        if not is_listed(path, listed) or entry(path) != listed:
            raise ValueError(
                f"{path} has changed: {manifest} lists a different size or "
                "hash. Create both again. If the change is intended, delete "
                "the manifest."
            )
    return manifest, values


def _listing(path):
    path = pathlib.Path(path)
    for candidate in sorted(path.parent.glob("manifest*.json")):
        values = read_manifest(candidate)
        if values and path.name in values["files"]:
            return candidate, values
    return None, None


def is_free(path):
    """Return True if a file does not exist or belongs to this library."""
    _, values = _listing(path)
    return not os.path.lexists(path) or (
        values is not None
        and is_listed(path, values["files"][os.path.basename(path)])
    )


def check_no_input(path, inputs):
    """Raise ValueError if an output overlaps with an input.

    A new file may be written to the directory of an input.

    Args:
        path: str, a file or directory.
        inputs: iterable of str, files and directories.
    """
    output = pathlib.Path(os.path.realpath(path))
    for read in inputs:
        source = pathlib.Path(os.path.realpath(read))
        if (
            output in (source, *source.parents)
            or (output.is_file() and source in output.parents)
            or (output.exists() and source.exists() and output.samefile(source))
        ):
            raise ValueError(
                "An output must not be an input, contain an input or be "
                f"inside an input. Received: output {path}, input {read}."
            )


def check_files(paths, inputs=(), overwrite=False):
    """Raise ValueError unless all files may be written.

    Args:
        paths: iterable of str, the files to write.
        inputs: list of str, input files and directories.
        overwrite: bool, whether to replace files of this library.
    """
    for path in map(pathlib.Path, paths):
        check_no_input(path, inputs)
        check_writable(path.parent)
        if os.path.lexists(path):
            check_overwrite(path, is_free(path), overwrite)
        manifest = manifest_path_for(path)
        if manifest.exists() and read_manifest(manifest) is None:
            check_overwrite(manifest, False, overwrite)


def check_directory(path, inputs=(), overwrite=False, is_kind=None):
    """Raise ValueError unless a directory may be created or replaced.

    It must be new or empty; or, with `overwrite`, contain only files of this
    library.

    Args:
        path: str.
        inputs: list of str, input files and directories.
        overwrite: bool, whether to replace files of this library.
        is_kind: function that returns True for the manifests of outputs that
            may be replaced; by default all.
    """
    check_no_input(path, inputs)
    check_writable(path)
    check_listed(path, _files(path), overwrite)
    manifest = read_manifest(pathlib.Path(path, MANIFEST))
    if manifest is not None and is_kind is not None and not is_kind(manifest):
        raise ValueError(
            "overwrite=True replaces only an output of the same kind. "
            f"Received: {str(path)!r}, which contains a different kind of "
            "output. Choose another directory."
        )


def check_listed(directory, names, overwrite):
    """Raise ValueError unless files in a directory are new or may be replaced.

    Args:
        directory: str, with a manifest that may list the files.
        names: iterable of str, relative names.
        overwrite: bool, whether to replace files of this library.
    """
    listed = own_files(directory)
    for name in names:
        path = pathlib.Path(directory, name)
        if os.path.lexists(path):
            check_overwrite(path, is_listed(path, listed.get(name)), overwrite)


def check_overwrite(path, is_own, overwrite):
    """Raise ValueError unless an existing file may be replaced."""
    if is_own and not overwrite:
        raise ValueError(
            f"Output {path} already exists. Choose another name, or pass "
            "overwrite=True to replace it."
        )
    if not is_own:
        raise ValueError(
            f"Output {path} exists, and no manifest next to it lists this name "
            "and size. Choose another name, or move the existing file."
        )


def remove_own(directory):
    """Delete the files that a directory's manifest lists, and empty folders.

    Args:
        directory: str, accepted by `check_directory`.
    """
    remove_listed(directory, own_files(directory))
    folders = [x for x in pathlib.Path(directory).rglob("*") if x.is_dir()]
    for folder in [*sorted(folders, reverse=True), directory]:
        with contextlib.suppress(OSError):  # Not empty or missing.
            os.rmdir(folder)


def remove_listed(directory, listed, kept=()):
    """Delete files that a manifest lists, and folders that become empty.

    Files with a different size are kept.

    Args:
        directory: str, the manifest's folder.
        listed: dict, the `files` of the manifest.
        kept: iterable of str, names of files to keep.
    """
    for name in {*listed} - {*kept}:
        path = pathlib.Path(directory, name)
        if is_listed(path, listed[name]):
            path.unlink()
            with contextlib.suppress(OSError):  # The folder is not empty.
                path.parent.rmdir()


def _differences(old, new, prefix=""):
    """Return descriptions of the differences between two nested dicts."""
    lines = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            lines += _differences(before, after, f"{prefix}{key}: ")
        elif before != after:
            lines.append(f"{prefix}{key} was {before!r}, now {after!r}")
    return lines


def check_settings(
    before, settings, earlier, advice="overwrite=True starts again"
):
    """Raise ValueError unless a run has the settings of an earlier run.

    Args:
        before: dict that contains the settings of the earlier run.
        settings: JSON-serializable dict, settings of the new run.
        earlier: str, path of the earlier run or its manifest; named in errors.
        advice: str, advice for running with different settings.
    """
    settings = json.loads(json.dumps(settings))
    before = {key: before.get(key) for key in settings}
    changed = _differences(before, settings)
    if changed:
        more = len(changed) - _MOST_NAMED
        rest = [f"and {more} more"] if more > 0 else []
        raise ValueError(
            f"The settings must match the run in {earlier}; {advice}. "
            f"Received: {'; '.join(changed[:_MOST_NAMED] + rest)}."
        )


@contextlib.contextmanager
def resumable(path, settings, finished="*", overwrite=False):
    """Context manager for the work directory of a resumable job.

    The directory is deleted if the job succeeds. If the job fails or is killed,
    its finished parts are kept and reused by the next call with the same
    settings. The directory is locked for other processes.

    Args:
        path: str.
        settings: JSON-serializable dict, all settings that affect the results.
        finished: str, glob pattern of finished files in the directory, or in
            its folders.
        overwrite: bool, whether to delete finished parts of a job with other
            settings.

    Raises:
        ValueError: finished parts belong to other settings, another process
            uses the directory, or it is not a work directory.
    """
    path = pathlib.Path(path)
    manifest, own = path / MANIFEST, {MANIFEST, _LOCK}
    names = {x.name for x in path.glob("*") if x.suffix != ".tmp"} - {_LOCK}
    if names and read_manifest(manifest) is None:
        raise ValueError(
            f"{path} exists but is not the work directory of an interrupted "
            "run. Move or delete it."
        )
    path.mkdir(parents=True, exist_ok=True)
    with _locked(path) as is_there:
        remove_leftovers(path)
        kept = {x.relative_to(path).parts[0] for x in path.glob(finished)}
        kept = {name for name in kept - own if not name.endswith(".tmp")}
        try:
            if kept:
                check_settings(read_manifest(manifest), settings, path)
        except ValueError:
            if not overwrite:
                raise
            kept = set()
        for part in [*path.iterdir()]:
            if part.name not in kept | own:
                _remove(part)
        if not kept:
            write_manifest(manifest, {}, settings)
        is_done = False
        try:
            yield path
            is_done = True
        finally:
            if is_there() and (is_done or {*os.listdir(path)} <= own):
                discard(path)


@contextlib.contextmanager
def _locked(path):
    """Lock a work directory until the block or the process ends.

    Yields:
        A callable that returns False if the directory was deleted or renamed.
    """
    with contextlib.ExitStack() as stack:
        try:
            if hasattr(os, "O_TEMPORARY"):
                # Windows deletes the file when it is closed. It is not inside
                # the directory, which could not be renamed while it is open.
                flags = os.O_CREAT | os.O_EXCL | os.O_TEMPORARY
                stack.callback(os.close, os.open(f"{path}.lock", flags))
                is_there = path.exists
            else:
                import fcntl

                file = stack.enter_context(open(path / _LOCK, "wb"))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_there = functools.partial(_has_name, file)
        except (BlockingIOError, FileExistsError):
            raise ValueError(f"Another process is using {path}.") from None
        yield is_there


def _has_name(file):
    return os.fstat(file.fileno()).st_nlink > 0


def discard(directory):
    """Delete a work directory atomically."""
    gone = directory.with_name(f"{directory.name}.{os.getpid()}.tmp")
    os.replace(directory, gone)
    shutil.rmtree(gone)
