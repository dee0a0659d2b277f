"""Where a SavedModel may go."""

import pathlib

from keras_bert.outputs import check_output_directory
from keras_bert.outputs import read_manifest

MANIFEST = "manifest.json"


def check_saved_model_output(directory, inputs=(), overwrite=False):
    """Raises ValueError unless a SavedModel may be written.

    Args:
        directory: str, which must be new or empty; or, with `overwrite`, a
            SavedModel that we wrote, and nothing else that we wrote.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.
    """
    check_output_directory(directory, inputs, overwrite)
    manifest = read_manifest(pathlib.Path(directory, MANIFEST))
    if manifest is not None and "task" not in manifest:
        raise ValueError(
            "--overwrite replaces a SavedModel only. Received: "
            f"{str(directory)!r}, which holds something else that we wrote. "
            "Choose another directory."
        )
