"""Files that are what they were when they were written."""

import concurrent.futures
import contextlib
import os

from absl import logging

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import CARD
from keras_bert.checkpoints.layout import MANIFEST
from keras_bert.outputs import read_manifest
from keras_bert.outputs import sha256


@contextlib.contextmanager
def unaltered(directory, format):
    """Within it, another thread compares the files with their manifest.

    Args:
        directory: `pathlib.Path` of a checkpoint.
        format: str, as of `format_of`.

    Raises:
        CheckpointError: at the end, where a file is not what was written. It
            goes before another error, of which it is likely the cause.
    """
    manifest = read_manifest(directory / MANIFEST)
    if manifest is None:
        if format == "keras":
            logging.warning(
                "%s has no %s: whether a file was altered cannot be checked.",
                directory,
                MANIFEST,
            )
        yield
        return
    listed = {n: v for n, v in manifest["files"].items() if n != CARD}
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        check = pool.submit(_check, directory, listed)
        try:
            yield
        except Exception:
            check.result()
            raise
        check.result()


def _check(directory, listed):
    for name, expected in listed.items():
        path = directory / name
        if not path.is_file():
            raise CheckpointError(
                f"{directory} lacks {name}, which {MANIFEST} lists. Copy or "
                "convert the checkpoint again."
            )
        size = os.path.getsize(path)
        if size != expected["bytes"]:
            _raise_altered(path, f"{size} bytes, not {expected['bytes']}")
        if sha256(path) != expected["sha256"]:
            _raise_altered(path, "other bytes")


def _raise_altered(path, received):
    raise CheckpointError(
        f"{path} was altered after it was written. Received: {received}. Copy "
        f"or convert the checkpoint again; or, if the change is meant, remove "
        f"{MANIFEST} beside it."
    )
