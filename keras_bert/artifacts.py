"""Outputs that appear whole, are recognized as ours, and can be resumed.

An output must be new, or a file of ours that the user asks to overwrite; it is
never an input. A file is ours if a manifest in its folder lists it with its
size. A manifest also holds what the next program must know of the file:
casing, lengths, masking.
"""

import contextlib
import errno
import fcntl
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


def check_writable(directory):
    """Raise ValueError if nothing can be written to a directory.

    If it does not exist, its nearest parent is tried. Nothing is made.
    """
    place = pathlib.Path(directory)
    while not os.path.lexists(place):
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise ValueError(
            f"Output directory {str(directory)!r} cannot be written: "
            f"{error.strerror}."
        ) from None


@contextlib.contextmanager
def disk_full_names_file(path):
    """Re-raise "disk full" errors of any library with the file's name."""
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
def atomic_file(path):
    """Yield a temporary name that becomes `path` if no error is raised.

    Its folder is made if needed.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with disk_full_names_file(path):
            yield temporary
        os.replace(temporary, path)
    finally:
        pathlib.Path(temporary).unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_directory(path):
    """Yield an empty directory next to `path` and remove it at the end."""
    path = pathlib.Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    try:
        with disk_full_names_file(path):
            temporary.mkdir()
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _remove_leftovers(path):
    """Remove the temporary files of an output that killed processes left."""
    name = re.compile(rf"\.?{re.escape(path.name)}\.(\d{{1,9}})\.tmp").fullmatch
    for left in path.parent.iterdir():
        match = name(left.name)
        if match and not _is_running(int(match[1])):
            _remove(left)


def _is_running(process):
    """Return True if another process has this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # Another user's process.
        return True
    return process != os.getpid()


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def read_json(path):
    """Return the contents of a JSON file, or None if it does not exist."""
    path = pathlib.Path(path)
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def write_whole(path, data):
    """Write a file of bytes, or of a str in UTF-8, whole or not at all."""
    with atomic_file(path) as name:
        data = data.encode("utf-8") if isinstance(data, str) else data
        pathlib.Path(name).write_bytes(data)


def write_json(path, values, indent=2, ensure_ascii=True):
    """Write a JSON file, whole or not at all."""
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
    """Return a SHA-256 that differs if inputs differ.

    Args:
        path: str, a file; a directory, whose direct files count; or any other
            name, which counts itself.
    """
    if os.path.isfile(path):
        return sha256(path)
    files = sorted(pathlib.Path(path).glob("*"))
    sums = [sha256(file) for file in files if file.is_file()]
    text = "".join(sums) if sums else str(path)
    return hashlib.sha256(text.encode()).hexdigest()


def file_entry(path):
    """Return the manifest entry of a file that another program verifies."""
    return {**size_entry(path), "sha256": sha256(path)}


def size_entry(path):
    """Return the manifest entry of a file."""
    return {"bytes": os.path.getsize(path)}


def is_listed(path, *entries):
    """Return True if a file has the size of one of the entries (or None)."""
    sizes = [entry["bytes"] for entry in entries if entry]
    return os.path.isfile(path) and os.path.getsize(path) in sizes


def manifest_beside(path):
    """Return the path of the manifest of a single file.

    The name begins with "manifest-", so that patterns that match the files do
    not match it.
    """
    path = pathlib.Path(path)
    return path.with_name(f"manifest-{path.name}.json")


def manifest_values(entries, context):
    """Return the contents of a manifest.

    Args:
        entries: dict from names of files, relative to the manifest's folder,
            to `size_entry` or `file_entry`.
        context: dict for JSON.
    """
    made = {"made_by": _MADE_BY, "command": sys.argv}
    return {**made, **context, "files": entries}


def write_manifest(path, files, context):
    """Write a manifest of files that another program verifies.

    Args:
        path: str, "manifest.json" in the files' directory, or
            `manifest_beside` a single file.
        files: dict from names, relative to the manifest's folder, to the
            paths where the files are now.
        context: dict for JSON.
    """
    entries = {name: file_entry(file) for name, file in files.items()}
    write_json(path, manifest_values(entries, context))


def record_directory(directory, context=None):
    """Write the manifest of all files in a directory.

    Args:
        directory: str.
        context: dict for JSON, what the next program must know of the files.
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
    """Return the values of one of our manifests, or None."""
    try:
        values = json.loads(pathlib.Path(path).read_text("utf-8"))
        is_own = values["made_by"] == _MADE_BY and all(
            "bytes" in entry for entry in values["files"].values()
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return values if is_own else None


def own_files(directory):
    """Return the entries of a directory's manifest and its own; or none."""
    manifest = pathlib.Path(directory, MANIFEST)
    values = read_manifest(manifest)
    return {**values["files"], MANIFEST: size_entry(manifest)} if values else {}


def manifest_of(path):
    """Return the manifest in a file's folder that lists the file.

    Args:
        path: str, an existing file.

    Returns:
        Its path and its values; None and None if no manifest lists the file.

    Raises:
        ValueError: a manifest lists the file with another size or hash.
    """
    manifest, values = _listing(path)
    if manifest is not None:
        listed = values["files"][os.path.basename(path)]
        entry = file_entry if "sha256" in listed else size_entry
        if not is_listed(path, listed) or entry(path) != listed:
            raise ValueError(
                f"{path} must be the file that {manifest} lists. Received: "
                "other bytes. Make both again; or, if the change is meant, "
                "remove that manifest."
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
    """Return True if a file does not exist or is ours."""
    _, values = _listing(path)
    listed = values["files"] if values else {}
    return not os.path.lexists(path) or is_listed(
        path, listed.get(os.path.basename(path))
    )


def check_no_input(path, inputs):
    """Raise ValueError if an output is an input, holds one, or is part of one.

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
                "An output must not be an input, hold one or be a file of one. "
                f"Received: output {path}, input {read}."
            )


def check_output_files(paths, inputs=(), overwrite=False):
    """Raise ValueError unless all files may be written.

    Args:
        paths: iterable of str, the files to write.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace files of ours.
    """
    for path in map(pathlib.Path, paths):
        check_no_input(path, inputs)
        check_writable(path.parent)
        if os.path.lexists(path):
            check_overwrite(path, is_free(path), overwrite)
        manifest = manifest_beside(path)
        if manifest.exists() and read_manifest(manifest) is None:
            check_overwrite(manifest, False, overwrite)


def check_output_directory(
    directory, inputs=(), overwrite=False, kind=None, is_kind=None
):
    """Raise ValueError unless a directory may be written as a whole.

    It must be new or empty; or, with `overwrite`, hold only files of ours.

    Args:
        directory: str.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace files of ours.
        kind: str, in words, the only outputs that may be replaced; by default
            all.
        is_kind: function that returns True for a manifest of that kind.
    """
    directory = pathlib.Path(directory)
    check_no_input(directory, inputs)
    if os.path.lexists(directory) and not directory.is_dir():
        raise ValueError(
            "An output directory must not be a file or a broken link. "
            f"Received: {directory}."
        )
    check_writable(directory)
    check_listed(directory, _files(directory), overwrite)
    manifest = read_manifest(directory / MANIFEST)
    if manifest is not None and kind is not None and not is_kind(manifest):
        raise ValueError(
            f"overwrite=True replaces only {kind}. Received: "
            f"{str(directory)!r}, which holds another output. Choose another "
            "directory."
        )


def check_listed(directory, names, overwrite):
    """Raise ValueError unless files in a directory are new or may be replaced.

    Args:
        directory: str, its manifest may list the files.
        names: iterable of str, relative names.
        overwrite: bool, replace files of ours.
    """
    listed = own_files(directory)
    for name in names:
        path = pathlib.Path(directory, name)
        if os.path.lexists(path):
            check_overwrite(path, is_listed(path, listed.get(name)), overwrite)


def check_overwrite(path, is_own, overwrite):
    """Raise ValueError unless an existing file is ours and may be replaced."""
    if is_own and not overwrite:
        raise ValueError(
            f"An output must be new: {path} exists. Choose another name, or "
            "pass overwrite=True to replace it."
        )
    if not is_own:
        raise ValueError(
            f"An output must be new: {path} exists, and no manifest beside it "
            "lists it with its size. Choose another name, or move it away."
        )


def remove_own(directory):
    """Remove the files that a directory's manifest lists, and empty folders.

    Args:
        directory: str, accepted by `check_output_directory`.
    """
    remove_listed(directory, own_files(directory))
    folders = [x for x in pathlib.Path(directory).rglob("*") if x.is_dir()]
    for folder in [*sorted(folders, reverse=True), directory]:
        with contextlib.suppress(OSError):  # It is not empty, or absent.
            os.rmdir(folder)


def remove_listed(directory, listed, kept=()):
    """Remove files that a manifest lists, and their folders if then empty.

    A file whose size has changed stays.

    Args:
        directory: str, the manifest's folder.
        listed: dict, the `files` of the manifest.
        kept: iterable of str, the names that are still in use.
    """
    directory = pathlib.Path(directory)
    for name in {*listed} - {*kept}:
        path = directory / name
        if is_listed(path, listed[name]):
            path.unlink()
            if path.parent != directory:
                with contextlib.suppress(OSError):  # It is not empty.
                    path.parent.rmdir()


@contextlib.contextmanager
def recorded_file(path, context=None):
    """Yield a temporary name that becomes `path`, with a manifest next to it.

    Args:
        path: str, accepted by `check_output_files`.
        context: dict for JSON, what the next program must know of the file.
    """
    path = pathlib.Path(path)
    with atomic_file(path) as temporary:
        _remove_leftovers(path)
        yield temporary
        write_manifest(
            manifest_beside(path), {path.name: temporary}, context or {}
        )


@contextlib.contextmanager
def recorded_directory(directory, context=None):
    """Yield a temporary directory that becomes `directory`, with a manifest.

    The earlier contents of `directory` stay until all is written.

    Args:
        directory: str, accepted by `check_output_directory`.
        context: dict for JSON, what the next program must know of the files.
    """
    with temporary_directory(directory) as staging:
        yield staging
        record_directory(staging, context)
        remove_own(directory)
        os.replace(staging, directory)


def find_differences(old, new, prefix=""):
    """Return lines that name the differences between two nested dicts."""
    lines = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            lines += find_differences(before, after, f"{prefix}{key}: ")
        elif before != after:
            lines.append(f"{prefix}{key} was {before!r}, now {after!r}")
    return lines


def check_settings(
    before, settings, place, advice="overwrite=True starts again"
):
    """Raise ValueError unless a run has the settings of an earlier run.

    Args:
        before: dict, the record of the earlier run.
        settings: dict for JSON, what the new run depends on.
        place: str, the path of the record.
        advice: str, how to run with other settings.
    """
    settings = json.loads(json.dumps(settings))
    before = {key: before.get(key) for key in settings}
    changed = find_differences(before, settings)
    if changed:
        more = len(changed) - _MOST_NAMED
        rest = [f"and {more} more"] if more > 0 else []
        raise ValueError(
            f"The settings must be those of the earlier run, which {place} "
            f"records; {advice}. Received: "
            f"{'; '.join(changed[:_MOST_NAMED] + rest)}."
        )


class WorkDirectory:
    """Work directory of an interrupted run; finished parts are reused.

    As a context it keeps other processes out.

    Args:
        path: str, the directory.

    Attributes:
        path: `pathlib.Path` of the directory.
        record: `pathlib.Path` of its manifest, with the settings of the run.

    Raises:
        ValueError: another process works in it, or the directory is not ours.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.record = self.path / MANIFEST
        names = {file.name for file in self.path.glob("*")} - {_LOCK}
        if not self.is_begun and any(
            not name.startswith(f"{MANIFEST}.") for name in names
        ):
            raise ValueError(
                f"{path} exists, and is not the work directory of an "
                "interrupted run. Move it away."
            )

    @property
    def is_begun(self):
        """True if a run has begun in the directory."""
        return read_manifest(self.record) is not None

    def __enter__(self):
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = open(self.path / _LOCK, "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise ValueError(
                f"Another process is at work on {self.path}."
            ) from None
        _remove_leftovers(self.path)
        return self

    def __exit__(self, *error):
        names = {path.name for path in self.path.glob("*")}
        is_held = os.fstat(self._lock.fileno()).st_nlink  # Not removed.
        if is_held and not names - {MANIFEST, _LOCK}:
            shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def begin(self, settings, finished="*", overwrite=False):
        """Begin or resume; remove what is not finished.

        Args:
            settings: dict for JSON, all that the run depends on.
            finished: str, a glob in the directory. A match is finished, and a
                folder with a match.
            overwrite: bool, drop parts of a run with other settings.

        Raises:
            ValueError: finished parts belong to other settings.
        """
        kept = {
            path.relative_to(self.path).parts[0]
            for path in self.path.glob(finished)
            if path.suffix != ".tmp"
        } - {MANIFEST, _LOCK}
        try:
            if kept:
                check_settings(read_manifest(self.record), settings, self.path)
        except ValueError:
            if not overwrite:
                raise
            kept = set()
        for path in [*self.path.iterdir()]:
            if path.name not in {*kept, MANIFEST, _LOCK}:
                _remove(path)
        if not kept:
            write_manifest(self.record, {}, settings)

    def become(self, directory, context):
        """Rename the directory, with a manifest of all files.

        Args:
            directory: str, accepted by `check_output_directory`.
            context: dict for JSON.
        """
        record_directory(self.path, context)
        remove_own(directory)
        (self.path / _LOCK).unlink()
        os.rename(self.path, directory)

    def discard(self):
        """Remove the directory; a kill leaves nothing of it."""
        gone = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        os.rename(self.path, gone)
        shutil.rmtree(gone)
