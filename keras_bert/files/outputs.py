"""New outputs with manifests.

An output must be new or, if `overwrite` is True, a file of this library. It
must never be an input.
"""

import contextlib
import os
import pathlib

from keras_bert.files.atomic import atomic_file
from keras_bert.files.atomic import check_writable
from keras_bert.files.atomic import left_by_killed
from keras_bert.files.atomic import move
from keras_bert.files.atomic import remove_path
from keras_bert.files.atomic import temporary_name
from keras_bert.files.atomic import write_json
from keras_bert.files.manifest import FORMER
from keras_bert.files.manifest import LOCK
from keras_bert.files.manifest import MANIFEST
from keras_bert.files.manifest import file_entry
from keras_bert.files.manifest import files_below
from keras_bert.files.manifest import is_listed
from keras_bert.files.manifest import listing_of
from keras_bert.files.manifest import manifest_path_for
from keras_bert.files.manifest import manifest_values
from keras_bert.files.manifest import own_files
from keras_bert.files.manifest import read_manifest
from keras_bert.files.manifest import record_directory

# Suffix of folders with files that `move_files` moves.
_MOVED = "moved"


@contextlib.contextmanager
def new_file(path, context=None, inputs=(), overwrite=False):
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
    manifest = manifest_path_for(path)
    with atomic_file(path) as temporary:
        yield temporary
        _, former = listing_of(path)
        # If the process is killed before the file is replaced, the manifest
        # still describes the old file.
        entries = {path.name: file_entry(temporary)}
        values = manifest_values(entries, context or {})
        write_json(manifest, {**values, FORMER: former} if former else values)
    if former:
        write_json(manifest, values)


@contextlib.contextmanager
def new_directory(path, context=None, inputs=(), overwrite=False, is_kind=None):
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
    (staging / LOCK).unlink(missing_ok=True)
    # Keep files that others have written in the meantime.
    check_listed(path, files_below(path), overwrite=True)
    move(staging, path)
    remove_own(staging)


def move_files(staging, directory):
    """Move finished files into a directory that may contain other files.

    If the process is killed, `finish_moves` moves the rest.

    Args:
        staging: `pathlib.Path` of a directory with a manifest.
        directory: `pathlib.Path` of an existing directory. The files of its
            manifest are replaced or deleted.
    """
    move(staging, directory / f".{os.getpid()}.{_MOVED}")
    finish_moves(directory)


def finish_moves(directory):
    """Move the files that a killed `move_files` did not move.

    Args:
        directory: `pathlib.Path` of an existing directory.
    """
    for source in left_by_killed(directory, "", _MOVED):
        written = own_files(source)
        names = _manifest_last(files_below(source))
        if names:
            remove_listed(directory, own_files(directory), kept=written)
        for name in names:
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(source / name, directory / name)
        remove_path(source)


def _manifest_last(names):
    """Sort names, so that a killed process leaves the list of the others."""
    return sorted(names, key=lambda name: name == MANIFEST)


def is_free(path):
    """Return True if a file does not exist or belongs to this library."""
    _, values = listing_of(path)
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
    check_listed(path, files_below(path), overwrite)
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
    for name in _manifest_last({*listed} - {*kept}):
        path = pathlib.Path(directory, name)
        if is_listed(path, listed[name]):
            path.unlink()
            with contextlib.suppress(OSError):  # The folder is not empty.
                path.parent.rmdir()
