"""Where a SavedModel may go."""

import pathlib

from keras_bert.outputs import check_no_input
from keras_bert.outputs import check_output_directory
from keras_bert.outputs import read_manifest


def version_directory(directory, version, inputs=(), overwrite=False):
    """The folder of a version, once it is known that it may be written.

    Args:
        directory: str, the folder of a model's versions.
        version: int, whose folder must be new or empty; or, with `overwrite`,
            a SavedModel that we wrote, and nothing else that we wrote.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.

    Returns:
        A `pathlib.Path`.

    Raises:
        ValueError: it may not be written, or a server knows no such version.
    """
    if version < 1:
        raise ValueError(
            f"`version` must be at least 1. Received: version={version}."
        )
    check_no_input(directory, inputs)
    place = pathlib.Path(directory, str(version))
    check_output_directory(place, inputs, overwrite)
    manifest = read_manifest(place / "manifest.json")
    if manifest is not None and "task" not in manifest:
        raise ValueError(
            "--overwrite replaces a SavedModel only. Received: "
            f"{str(place)!r}, which holds something else that we wrote. "
            "Choose another directory."
        )
    return place
