"""Outputs appear whole, are known as ours, and a killed run goes on.

An output is new, or it is one that we wrote and the user asks to overwrite;
and it is never an input. We wrote a file if a manifest in its folder lists it
with the bytes that it holds. A manifest also carries what the next program must
know of the file: casing, lengths, masking.
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

import google_crc32c

MANIFEST = "manifest.json"
_MADE_BY = "keras_bert"
_LOCK = "lock"
_BLOCK_BYTES = 1 << 20
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


def check_writable(directory):
    """Raises ValueError if nothing can be written to a directory.

    Of one that is not there its nearest parent is tried. Nothing is made.
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
def named_when_full(path):
    """Has the error of a full disk, of whatever library, name the file."""
    try:
        yield
    except Exception as error:
        number = getattr(error, "errno", None)
        if os.strerror(errno.ENOSPC) in str(error):
            number = errno.ENOSPC
        elif number not in _DISK_FULL:
            raise
        if getattr(error, "filename", None) is not None:
            raise
        raise OSError(number, os.strerror(number), str(path)) from error


@contextlib.contextmanager
def whole_file(path):
    """Gives a temporary name that becomes `path` only when all went well.

    Its folder is made, if needed.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with named_when_full(path):
            yield temporary
        os.replace(temporary, path)
    finally:
        pathlib.Path(temporary).unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_directory(path):
    """Gives an empty directory beside `path`, of which nothing stays."""
    path = pathlib.Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    try:
        with named_when_full(path):
            temporary.mkdir()
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _remove_leftovers(path):
    """Removes what processes that were killed have left of an output."""
    name = re.compile(rf"\.?{re.escape(path.name)}\.(\d+)\.tmp").fullmatch
    for left in path.parent.iterdir():
        match = name(left.name)
        if match and not _is_at_work(int(match[1])):
            _remove(left)


def _is_at_work(process):
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # It is somebody else's.
        pass
    return process != os.getpid()


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def read_json(path):
    """The contents of a JSON file, or None if there is none."""
    path = pathlib.Path(path)
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def write_whole(path, data):
    """Writes a file of bytes, or of a str in UTF-8, whole or not at all."""
    with whole_file(path) as name:
        data = data.encode("utf-8") if isinstance(data, str) else data
        pathlib.Path(name).write_bytes(data)


def write_json(path, values, indent=2, ensure_ascii=True):
    """Writes a JSON file, whole or not at all."""
    text = json.dumps(values, indent=indent, ensure_ascii=ensure_ascii)
    write_whole(path, text + "\n")


def _hashed(path, update):
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            update(block)


def sha256(path):
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    _hashed(path, digest.update)
    return digest.hexdigest()


def crc32c(path):
    """The CRC-32C of a file, an int; in a sixth of the time of the SHA-256."""
    checksum = google_crc32c.Checksum()
    _hashed(path, checksum.update)
    return int.from_bytes(checksum.digest(), "big")


def fingerprint(path):
    """A SHA-256 that differs where inputs do.

    Args:
        path: str, a file; a directory, of which the files count that are
            directly in it; or a name that is neither, which counts itself.
    """
    if os.path.isfile(path):
        return sha256(path)
    files = sorted(pathlib.Path(path).glob("*"))
    sums = [sha256(file) for file in files if file.is_file()]
    text = "".join(sums) if sums else str(path)
    return hashlib.sha256(text.encode()).hexdigest()


def file_entry(path):
    """The entry of a file in a manifest: its bytes and its SHA-256."""
    return {"bytes": os.path.getsize(path), "sha256": sha256(path)}


def is_listed(path, *entries):
    """Tell if a file is as one of the entries says; None is no entry."""
    try:
        size = os.path.getsize(path)
        sizes = [entry["bytes"] for entry in entries if entry]
        return size in sizes and file_entry(path) in entries
    except OSError:
        return False


def manifest_beside(path):
    """The path of the manifest of a single file.

    Not `path` and ".json": the patterns that find the files would find it.
    """
    path = pathlib.Path(path)
    return path.with_name(f"manifest-{path.name}.json")


def manifest_values(entries, about):
    """The contents of a manifest, a dict for JSON.

    Args:
        entries: dict from the names of files to what `file_entry` gives.
        about: dict for JSON.
    """
    made = {"made_by": _MADE_BY, "command": sys.argv}
    return {**made, **about, "files": entries}


def write_manifest(path, files, about):
    """Writes a manifest.

    Args:
        path: str, "manifest.json" in the directory of the files, or
            `manifest_beside` one of them.
        files: dict from names, relative to the manifest's folder, to the
            paths where the files are now.
        about: dict for JSON.
    """
    entries = {name: file_entry(file) for name, file in files.items()}
    write_json(path, manifest_values(entries, about))


def record_directory(directory, about=None):
    """Writes the manifest of all files that a directory holds.

    Args:
        directory: str.
        about: dict for JSON, what the next program must know of the files.
    """
    files = _files(directory)
    for name in {*files} & {MANIFEST, _LOCK}:
        del files[name]
    write_manifest(pathlib.Path(directory, MANIFEST), files, about or {})


def _files(directory):
    """All files of a directory by their names in it."""
    return {
        path.relative_to(directory).as_posix(): path
        for path in sorted(pathlib.Path(directory).rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def read_manifest(path):
    """The values of one of our manifests; None if it is none of ours."""
    try:
        values = json.loads(pathlib.Path(path).read_text("utf-8"))
        is_own = values["made_by"] == _MADE_BY and all(
            {"bytes", "sha256"} <= {*entry}
            for entry in values["files"].values()
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return values if is_own else None


def manifest_of(path):
    """The manifest that lists a file, from the folder of that file.

    Args:
        path: str, an existing file.

    Returns:
        Its path and its values; None and None if no manifest lists the file.

    Raises:
        ValueError: a manifest lists the file with other bytes.
    """
    path = pathlib.Path(path)
    for candidate in sorted(path.parent.glob("manifest*.json")):
        values = read_manifest(candidate)
        if values and path.name in values["files"]:
            if not is_listed(path, values["files"][path.name]):
                raise ValueError(
                    f"{path} must be the file of which {candidate} tells. "
                    "Received: other bytes. Make both anew; or, if the change "
                    "is meant, remove that manifest."
                )
            return candidate, values
    return None, None


def is_free(path):
    """Tell if a file may be written: it is new, or as we wrote it."""
    path = pathlib.Path(path)
    if not os.path.lexists(path):
        return True
    try:
        return manifest_of(path)[0] is not None
    except ValueError:
        return False


def check_no_input(path, inputs):
    """Raises ValueError if an output is one of the inputs, or a link to it."""
    for read in inputs:
        exist = os.path.exists(path) and os.path.exists(read)
        if os.path.realpath(path) == os.path.realpath(read) or (
            exist and os.path.samefile(path, read)
        ):
            raise ValueError(
                f"An output must not be an input. Received: {path}."
            )


def check_output_files(paths, inputs=(), overwrite=False):
    """Raises ValueError unless all files may be written.

    Args:
        paths: list of str, the files to write.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.
    """
    seen = set()
    for path in map(pathlib.Path, paths):
        if os.path.realpath(path) in seen:
            raise ValueError(
                f"Output files must differ from each other. Received: {path}."
            )
        seen.add(os.path.realpath(path))
        check_no_input(path, inputs)
        if path.is_dir():
            raise ValueError(
                f"An output file must not be a directory. Received: {path}."
            )
        check_writable(path.parent)
        if os.path.lexists(path):
            for read in filter(os.path.isdir, inputs):
                if _is_inside(path, read):  # It is read, too.
                    raise ValueError(
                        "An output must not be a file of an input. Received: "
                        f"{path} in {read}."
                    )
            check_overwrite(path, is_free(path), overwrite)
        manifest = manifest_beside(path)
        if manifest.exists() and read_manifest(manifest) is None:
            check_overwrite(manifest, False, overwrite)


def _is_inside(path, directory):
    real = pathlib.Path(os.path.realpath(path))
    return pathlib.Path(os.path.realpath(directory)) in real.parents


def check_output_directory(
    directory, inputs=(), overwrite=False, kind=None, is_kind=None
):
    """Raises ValueError unless a directory may be written as a whole.

    It must be new or empty; or, with `overwrite`, hold nothing but what we
    wrote.

    Args:
        directory: str.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.
        kind: str, the only thing of ours to replace, in words; by default all.
        is_kind: function of a manifest that tells whether it is of that.
    """
    directory = pathlib.Path(directory)
    check_no_input(directory, inputs)
    for path in inputs:
        if _is_inside(path, directory):
            raise ValueError(
                "An input must not be inside the output directory. Received: "
                f"{path} in {directory}."
            )
    if os.path.lexists(directory) and not directory.is_dir():
        raise ValueError(
            "An output directory must not be a file or a broken link. "
            f"Received: {directory}."
        )
    check_writable(directory)
    manifest = read_manifest(directory / MANIFEST)
    check_listed(directory, _files(directory), overwrite)
    if manifest is not None and kind is not None and not is_kind(manifest):
        raise ValueError(
            f"overwrite=True replaces {kind} only. Received: "
            f"{str(directory)!r}, which holds something else that we wrote. "
            "Choose another directory."
        )


def check_listed(directory, names, overwrite):
    """Raises ValueError unless files in a directory may be replaced.

    Args:
        directory: str; its manifest may list the files.
        names: iterable of str, also of files in folders, or that are new.
        overwrite: bool, replace what we wrote before.
    """
    directory = pathlib.Path(directory)
    manifest = read_manifest(directory / MANIFEST)
    listed = manifest["files"] if manifest else {}
    for name in names:
        path = directory / name
        is_own = manifest is not None and name == MANIFEST
        if os.path.lexists(path):
            is_own = is_own or is_listed(path, listed.get(name))
            check_overwrite(path, is_own, overwrite)


def check_overwrite(path, is_own, overwrite):
    """Raises ValueError unless a file is as we wrote it and is to go."""
    if is_own and not overwrite:
        raise ValueError(
            f"An output must be new: {path} exists. Choose another name, or "
            "pass overwrite=True to replace it."
        )
    if not is_own:
        raise ValueError(
            f"An output must be new: {path} exists, and no manifest beside it "
            "says that we wrote it as it is now. Choose another name, or move "
            "it away."
        )


def remove_own(directory):
    """Removes what a directory's manifest lists, then empty folders.

    Args:
        directory: str, one that `check_output_directory` has let through.
    """
    directory = pathlib.Path(directory)
    manifest = read_manifest(directory / MANIFEST) or {"files": {}}
    for name in (*manifest["files"], MANIFEST):
        (directory / name).unlink(missing_ok=True)
    folders = [path for path in directory.rglob("*") if path.is_dir()]
    for folder in [*sorted(folders, reverse=True), directory]:
        with contextlib.suppress(OSError):  # It holds something else.
            folder.rmdir()


def remove_stale(directory, listed, kept):
    """Removes what a former manifest lists and a new one does not.

    A file that was changed since stays.

    Args:
        directory: str, where the manifest stands.
        listed: dict, the `files` of the former manifest.
        kept: iterable of str, the names that are still in use.
    """
    directory = pathlib.Path(directory)
    for name in {*listed} - {*kept}:
        path = directory / name
        if is_listed(path, listed[name]):
            path.unlink()
            if path.parent != directory:
                with contextlib.suppress(OSError):  # It holds something else.
                    path.parent.rmdir()


@contextlib.contextmanager
def recorded_file(path, about=None):
    """Gives a temporary name that becomes `path`, with a manifest beside it.

    Args:
        path: str.
        about: dict for JSON, what the next program must know of the file.
    """
    path = pathlib.Path(path)
    with whole_file(path) as temporary:
        _remove_leftovers(path)
        yield temporary
        write_manifest(
            manifest_beside(path), {path.name: temporary}, about or {}
        )


@contextlib.contextmanager
def recorded_directory(directory, about=None):
    """Gives a temporary directory that becomes `directory`, with a manifest.

    What `directory` held before stays until all is written.

    Args:
        directory: str, one that `check_output_directory` has let through.
        about: dict for JSON, what the next program must know of the files.
    """
    with temporary_directory(directory) as staging:
        yield staging
        record_directory(staging, about)
        remove_own(directory)
        os.replace(staging, directory)


def find_differences(old, new, prefix=""):
    """Lines that name what differs between two nested dicts."""
    lines = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            lines += find_differences(before, after, f"{prefix}{key}: ")
        elif before != after:
            lines.append(f"{prefix}{key} was {before!r}, now {after!r}")
    return lines


def check_settings(before, about, place):
    """Raises ValueError unless a manifest, at a place, says the same of a run.

    Args:
        before: dict, the manifest.
        about: dict for JSON, what the run depends on.
        place: str.
    """
    about = json.loads(json.dumps(about))
    changed = find_differences({key: before.get(key) for key in about}, about)
    if changed:
        raise ValueError(
            f"The settings must be those of the earlier run, which {place} "
            "records; overwrite=True begins anew. Received: "
            f"{'; '.join(changed)}."
        )


class Unfinished:
    """A directory with what a run has finished, until it has finished all.

    As a context it keeps other processes out. A run that was killed goes on
    with what is there.

    Args:
        place: str, the directory; its manifest says what the run depends on.

    Raises:
        ValueError: another process is at work, or the directory is not ours.
    """

    def __init__(self, place):
        self.place = pathlib.Path(place)
        self._record = self.place / MANIFEST
        names = {path.name for path in self.place.glob("*")}
        half = {name for name in names if name.startswith(f"{MANIFEST}.")}
        if not self.is_begun and names - half - {_LOCK}:
            raise ValueError(
                f"{place} exists, and nothing says that it is of a run that "
                "was killed. Move it away."
            )

    @property
    def is_begun(self):
        """True if a run has begun there."""
        return read_manifest(self._record) is not None

    def __enter__(self):
        path = self.place / _LOCK
        while True:  # The process that had it may just be removing it.
            self.place.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as stack:
                try:
                    self._lock = stack.enter_context(open(path, "w"))
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except FileNotFoundError:
                    continue
                except BlockingIOError:
                    raise ValueError(
                        f"Another process is at work on {self.place}."
                    ) from None
                if self._is_locked():
                    stack.pop_all()
                    _remove_leftovers(self.place)
                    return self

    def _is_locked(self):
        path = self.place / _LOCK
        held = os.fstat(self._lock.fileno())
        return path.exists() and os.path.samestat(held, path.stat())

    def __exit__(self, *error):
        names = {path.name for path in self.place.glob("*")}
        if self._is_locked() and not names - {MANIFEST, _LOCK}:
            shutil.rmtree(self.place, ignore_errors=True)
        self._lock.close()

    def begin(self, about, finished="*", overwrite=False):
        """Begins or goes on; removes what is not finished.

        Args:
            about: dict for JSON, all that the run depends on.
            finished: str, a glob in the directory: all is finished that
                matches, or that is a folder with a match.
            overwrite: bool, drop what depends on something else.

        Raises:
            ValueError: something is finished that depends on something else;
                what differs is named.
        """
        kept = {
            path.relative_to(self.place).parts[0]
            for path in self.place.glob(finished)
            if path.suffix != ".tmp"
        } - {MANIFEST, _LOCK}
        try:
            if kept:
                check_settings(read_manifest(self._record), about, self.place)
        except ValueError:
            if not overwrite:
                raise
            kept = set()
        for path in [*self.place.iterdir()]:
            if path.name not in {*kept, MANIFEST, _LOCK}:
                _remove(path)
        if not kept:
            write_manifest(self._record, {}, about)

    def become(self, directory, about):
        """Gives the directory its name, and the manifest of all files.

        Args:
            directory: str, one that `check_output_directory` has let through.
            about: dict for JSON.
        """
        record_directory(self.place, about)
        remove_own(directory)
        (self.place / _LOCK).unlink()
        os.rename(self.place, directory)

    def discard(self):
        """Removes the directory, so that a kill leaves nothing of it."""
        gone = self.place.with_name(f"{self.place.name}.{os.getpid()}.tmp")
        os.rename(self.place, gone)
        shutil.rmtree(gone)
