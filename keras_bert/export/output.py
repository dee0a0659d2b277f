"""Where a SavedModel may go."""

import pathlib

from keras_bert import artifacts


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
    artifacts.check_no_input(directory, inputs)
    place = pathlib.Path(directory, str(version))
    artifacts.check_output_directory(
        place, inputs, overwrite, "a SavedModel", _is_saved_model
    )
    return place


def _is_saved_model(manifest):
    return "task" in manifest and "format" not in manifest
