"""A directory that is there when all in it is, and not before."""

import contextlib
import json
import os
import pathlib
import shutil

from keras_bert.artifacts import check_output_directory
from keras_bert.artifacts import find_differences
from keras_bert.artifacts import read_manifest
from keras_bert.artifacts import remove_own
from keras_bert.artifacts import write_manifest

_MANIFEST = "manifest.json"


def unfinished(directory):
    """Where the files are until all are there."""
    return pathlib.Path(f"{str(directory).rstrip('/')}.unfinished")


def check_whole_directory(directory, inputs, overwrite):
    """Raises ValueError unless `whole_directory` may make a directory.

    Args:
        directory: str.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.
    """
    check_output_directory(directory, inputs, overwrite)
    place = unfinished(directory)
    if place.exists() and read_manifest(place / _MANIFEST) is None:
        raise ValueError(
            f"{place} exists, and nothing tells that it is of a run that was "
            "killed. Move it away."
        )


@contextlib.contextmanager
def whole_directory(directory, about, finished, overwrite):
    """Gives a directory that gets its name, and a manifest, at the end.

    Before, it is called `DIRECTORY.unfinished`. Of what a killed run has left
    there, what it had finished is kept.

    Args:
        directory: str, one that `check_whole_directory` has let through.
        about: dict for JSON, for the manifest: all that the files depend on.
        finished: str, a glob in the directory: a folder with such a file is
            finished.
        overwrite: bool, drop what a run has finished that was about
            something else.

    Raises:
        ValueError: a killed run had finished something that was about
            something else; what differs is named.
    """
    place = unfinished(directory)
    _prepare(place, json.loads(json.dumps(about)), finished, overwrite)
    yield place
    files = {
        path.relative_to(place).as_posix(): path
        for path in sorted(place.rglob("*"))
        if path.is_file() and path != place / _MANIFEST
    }
    write_manifest(place / _MANIFEST, files, about)
    remove_own(directory)
    os.rename(place, directory)


def _prepare(place, about, finished, overwrite):
    """Makes the directory, with nothing in it but what is finished."""
    kept = {path.parent for path in place.glob(finished)}
    if kept:
        before = read_manifest(place / _MANIFEST)
        before = {key: before.get(key) for key in about}
        changed = find_differences(before, about)
        if changed and not overwrite:
            raise ValueError(
                f"{place} is of a run that was killed and that had other "
                f"settings: {'; '.join(changed)}. Pass overwrite=True to begin "
                "anew, or choose another name."
            )
        if changed:
            kept = set()
    for path in list(place.glob("*")):
        if path in kept or path.name == _MANIFEST:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    place.mkdir(parents=True, exist_ok=True)
    write_manifest(place / _MANIFEST, {}, about)
