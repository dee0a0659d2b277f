"""Comparison of files with what was written."""

import concurrent.futures
import contextlib
import os

from absl import logging

from keras_bert import artifacts
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import CARD
from keras_bert.checkpoints.layout import MANIFEST
from keras_bert.checkpoints.layout import SUMS


@contextlib.contextmanager
def unaltered(directory, format):
    """Compares files with their manifest in another thread, within the context.

    Raises:
        CheckpointError: at the end, where a file is not what was written. It
            goes before another error, of which it is likely the cause.
    """
    manifest = artifacts.read_manifest(directory / MANIFEST)
    if manifest is None:
        if format == "keras":
            logging.warning(
                "%s has no %s: whether a file was altered cannot be checked.",
                directory,
                MANIFEST,
            )
        yield
        return
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        check = pool.submit(_check, directory, manifest)
        try:
            yield
        except Exception:
            check.result()
            raise
        check.result()


def _check(directory, manifest):
    for name, expected in manifest["files"].items():
        path = directory / name
        if name == CARD:
            continue
        if not path.is_file():
            raise CheckpointError(
                f"{directory} lacks {name}, which {MANIFEST} lists. Copy or "
                "convert the checkpoint again."
            )
        size, received = os.path.getsize(path), None
        if size != expected["bytes"]:
            received = f"{size} bytes, not {expected['bytes']}"
        elif artifacts.crc32c(path) != manifest.get(SUMS, {}).get(name):
            received = "other bytes"
        if received:
            raise CheckpointError(
                f"{path} was altered after it was written. Received: "
                f"{received}. Copy or convert the checkpoint again; or, if the "
                f"change is meant, remove {MANIFEST} beside it."
            )
