"""What a program may write, and the manifest that says what it wrote.

The rule of every program: an output is new, or it is one that we wrote and
the user asks to overwrite it; and it is never an input. We wrote a file if a
manifest beside it lists it with the bytes that it holds. A manifest also
carries what the next program must know of the file: casing, lengths, masking.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import sys

import google_crc32c

from keras_bert.files import check_writable
from keras_bert.files import named_when_full
from keras_bert.files import whole_file

_MADE_BY = "keras_bert"
_MANIFESTS = "manifest*.json"
_BLOCK_BYTES = 1 << 20


def check_output_files(paths, inputs=(), overwrite=False, directory=None):
    """Raises ValueError unless all files may be written.

    Makes their folders, if needed.

    Args:
        paths: list of str, the files to write.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.
        directory: str, where the manifest stands that lists the files by
            their names in it; by default it is beside each of them.
    """
    _check_distinct(paths)
    for path in map(pathlib.Path, paths):
        check_no_input(path, inputs)
        if path.is_dir():
            raise ValueError(
                f"An output file must not be a directory. Received: {path}."
            )
        check_writable(path.parent)
        if path.exists() or path.is_symlink():
            _check_outside(path, inputs)
            if directory is None:
                _check_own(path, overwrite)
            else:
                _check_listed(path, pathlib.Path(directory), overwrite)
        manifest = manifest_beside(path)
        if manifest.exists() and read_manifest(manifest) is None:
            _check_overwrite(manifest, False, overwrite)


def check_no_input(path, inputs):
    """Raises ValueError if an output is one of the inputs, or a link to it."""
    path = pathlib.Path(path)
    for read in inputs:
        is_same = os.path.realpath(path) == os.path.realpath(read)
        if is_same or (path.exists() and _is_same_file(path, read)):
            raise ValueError(
                f"An output must not be an input. Received: {path}."
            )


def check_output_directory(directory, inputs=(), overwrite=False):
    """Raises ValueError unless a directory may be written as a whole.

    It must be new or empty; or, with `overwrite`, hold nothing but what we
    wrote. Its parent is made, if needed.

    Args:
        directory: str.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.
    """
    directory = pathlib.Path(directory)
    check_no_input(directory, inputs)
    for path in inputs:
        if _is_inside(path, directory):
            raise ValueError(
                "An input must not be inside the output directory. Received: "
                f"{path} in {directory}."
            )
    if directory.is_symlink() and not directory.exists():
        raise ValueError(
            f"An output directory must not be a broken link: {directory}."
        )
    if directory.exists() and not directory.is_dir():
        raise ValueError(
            f"An output directory must not be a file. Received: {directory}."
        )
    check_writable(directory.parent)
    if not directory.exists():
        return
    check_writable(directory)
    for path in sorted(directory.rglob("*")):
        if not path.is_dir():
            _check_listed(path, directory, overwrite)


def remove_own(directory):
    """Removes what a directory's manifest lists, then empty folders.

    Args:
        directory: str, one that `check_output_directory` has let through.
    """
    directory = pathlib.Path(directory)
    if not directory.is_dir():
        return
    files = (read_manifest(directory / "manifest.json") or {}).get("files", {})
    for name in files:
        (directory / name).unlink(missing_ok=True)
    (directory / "manifest.json").unlink(missing_ok=True)
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
        if _is_unchanged(path, listed[name]):
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
    directory = pathlib.Path(directory)
    staging = directory.with_name(f".{directory.name}.{os.getpid()}.tmp")
    try:
        with named_when_full(directory):
            staging.mkdir()
            yield staging
            record_directory(staging, about)
        remove_own(directory)
        os.replace(staging, directory)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def manifest_beside(path):
    """Where the manifest of a single file stands.

    Not `path` and ".json": the patterns that find the files would find it.
    """
    path = pathlib.Path(path)
    return path.with_name(f"manifest-{path.name}.json")


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
    with whole_file(path) as temporary:
        text = json.dumps(manifest_values(entries, about), indent=2) + "\n"
        pathlib.Path(temporary).write_text(text, encoding="utf-8")


def record_directory(directory, about=None):
    """Writes the manifest of all files that a directory holds.

    Args:
        directory: str, one that `check_output_directory` has let through.
        about: dict for JSON, what the next program must know of the files.
    """
    manifest = pathlib.Path(directory, "manifest.json")
    files = {
        path.relative_to(directory).as_posix(): path
        for path in sorted(manifest.parent.rglob("*"))
        if path.is_file() and path != manifest
    }
    write_manifest(manifest, files, about or {})


def manifest_values(entries, about):
    """What a manifest holds.

    Args:
        entries: dict from the names of files to what `file_entry` gives.
        about: dict for JSON.

    Returns:
        A dict for JSON.
    """
    return {
        "made_by": _MADE_BY,
        "command": sys.argv,
        **about,
        "files": entries,
    }


def file_entry(path):
    """What a manifest says of a file: its bytes and its SHA-256."""
    return {"bytes": os.path.getsize(path), "sha256": sha256(path)}


def read_manifest(path):
    """The values of one of our manifests; None if it is none of ours."""
    try:
        values = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_own = isinstance(values, dict) and values.get("made_by") == _MADE_BY
    return values if is_own and _is_listing(values.get("files")) else None


def _is_listing(files):
    return isinstance(files, dict) and all(
        isinstance(entry, dict) and {"bytes", "sha256"} <= {*entry}
        for entry in files.values()
    )


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
    for candidate in sorted(path.parent.glob(_MANIFESTS)):
        values = read_manifest(candidate)
        if values and path.name in values["files"]:
            if not _is_unchanged(path, values["files"][path.name]):
                raise ValueError(
                    f"{path} must be the file of which {candidate} tells. "
                    "Received: other bytes. Make both anew; or, if the change "
                    "is meant, remove that manifest."
                )
            return candidate, values
    return None, None


def sha256(path):
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def fingerprint(path):
    """What tells one input from another, a SHA-256.

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


def crc32c(path):
    """The CRC-32C of a file, an int; in a sixth of the time of the SHA-256."""
    crc = 0
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            crc = google_crc32c.extend(crc, block)
    return crc


def _check_distinct(paths):
    seen = set()
    for path in map(os.path.realpath, paths):
        if path in seen:
            raise ValueError(
                f"Output files must differ from each other. Received: {path}."
            )
        seen.add(path)


def _check_outside(path, inputs):
    """What stands in a directory that is read is read, too."""
    for directory in inputs:
        if os.path.isdir(directory) and _is_inside(path, directory):
            raise ValueError(
                "An output must not be a file of an input. Received: "
                f"{path} in {directory}."
            )


def _is_same_file(path, other):
    return os.path.exists(other) and os.path.samefile(path, other)


def _is_inside(path, directory):
    real = pathlib.Path(os.path.realpath(path))
    return pathlib.Path(os.path.realpath(directory)) in real.parents


def _check_own(path, overwrite):
    try:
        manifest, _ = manifest_of(path)
    except ValueError:
        manifest = None
    _check_overwrite(path, manifest is not None, overwrite)


def _check_listed(path, directory, overwrite):
    values = read_manifest(directory / "manifest.json")
    name = path.relative_to(directory).as_posix()
    listed = (values or {"files": {}})["files"].get(name)
    is_own = values is not None and name == "manifest.json"
    is_own = is_own or (listed is not None and _is_unchanged(path, listed))
    _check_overwrite(path, is_own, overwrite)


def _check_overwrite(path, is_own, overwrite):
    if is_own and not overwrite:
        raise ValueError(
            f"An output must be new: {path} exists. Choose another name, or "
            "pass --overwrite to replace it."
        )
    if not is_own:
        raise ValueError(
            f"An output must be new: {path} exists, and no manifest beside it "
            "says that we wrote it as it is now. Choose another name, or move "
            "it away."
        )


def _is_unchanged(path, listed):
    try:
        return (
            os.path.getsize(path) == listed["bytes"]
            and sha256(path) == listed["sha256"]
        )
    except (OSError, KeyError, TypeError):
        return False
