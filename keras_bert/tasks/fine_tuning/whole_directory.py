"""A directory that is there when all in it is, and not before."""

import contextlib
import os
import pathlib
import shutil

from keras_bert.outputs import check_output_directory
from keras_bert.outputs import read_manifest
from keras_bert.outputs import remove_own
from keras_bert.outputs import write_manifest

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
def whole_directory(directory, about):
    """Gives a directory that gets its name, and a manifest, at the end.

    Before, it is called `DIRECTORY.unfinished`. What a killed run has left
    there is removed.

    Args:
        directory: str, one that `check_whole_directory` has let through.
        about: dict for JSON, for the manifest.
    """
    place = unfinished(directory)
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    write_manifest(place / _MANIFEST, {}, about)
    yield place
    files = {
        path.relative_to(place).as_posix(): path
        for path in sorted(place.rglob("*"))
        if path.is_file() and path != place / _MANIFEST
    }
    write_manifest(place / _MANIFEST, files, about)
    remove_own(directory)
    os.rename(place, directory)
