"""Outputs of the Beam pipeline, on any file system that Beam knows.

The rule is that of `keras_bert.artifacts`: new, or listed by the manifest of an
earlier run. A file on this machine must then have the bytes that the manifest
lists; a remote one, which would have to be read for that, their number.
"""

import contextlib
import fnmatch
import hashlib
import json
import os
import re

from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from keras_bert import artifacts

_MANIFEST = artifacts.MANIFEST
_RECORDS = "*-of-*.tfrecord"
_BLOCK_BYTES = 1 << 22
_WORKER_ERROR = re.compile(
    r"^ValueError: (.*?)(?: \[while running .*)?$", re.MULTILINE
)


def free_manifest_path(output_dir, inputs, overwrite, pattern=_RECORDS):
    """Removes the output of an earlier run; the path of the manifest.

    Args:
        output_dir: str.
        inputs: list of str, the files that are read.
        overwrite: bool, remove what an earlier run has left.
        pattern: str, what the names of the files are like that are written.

    Raises:
        ValueError: something is in the way.
    """
    if "://" not in output_dir:
        artifacts.check_writable(output_dir)
        os.makedirs(output_dir, exist_ok=True)
    path = FileSystems.join(output_dir, _MANIFEST)
    written = FileSystems.join(output_dir, pattern)
    matches = FileSystems.match([path, written])
    left = [file for match in matches for file in match.metadata_list]
    listed = _read_entries(path) if left else None
    for file in left:
        artifacts.check_no_input(file.path, inputs)
        name = FileSystems.split(file.path)[1]
        is_own = listed is not None and (
            _is_unchanged(file, listed.get(name))
            if name != _MANIFEST
            else all(fnmatch.fnmatch(other, pattern) for other in listed)
        )
        artifacts.check_overwrite(file.path, is_own, overwrite)
    FileSystems.delete([file.path for file in left])
    return path


def _read_entries(path):
    """The files that a manifest of ours lists, or None."""
    try:
        with FileSystems.open(path) as file:
            values = json.load(file)
    except (OSError, ValueError):
        return None
    is_own = isinstance(values, dict) and values.get("made_by") == "keras_bert"
    return values.get("files") if is_own else None


def _is_unchanged(file, entry):
    if entry is None or file.size_in_bytes != entry["bytes"]:
        return False
    return "://" in file.path or artifacts.file_entry(file.path) == entry


def list_file(path):
    """The name of a written file and its entry in the manifest."""
    digest, size = hashlib.sha256(), 0
    with FileSystems.open(
        path, compression_type=CompressionTypes.UNCOMPRESSED
    ) as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            size += len(block)
    entry = {"bytes": size, "sha256": digest.hexdigest()}
    return FileSystems.split(path)[1], entry


def write_remote_json(path, values):
    """Writes a JSON file, whole or not at all."""
    with FileSystems.create(f"{path}.tmp") as file:
        file.write(json.dumps(values, indent=2).encode() + b"\n")
    FileSystems.rename([f"{path}.tmp"], [path])


@contextlib.contextmanager
def plain_worker_errors():
    """Has a worker's ValueError raised here with its own words only."""
    try:
        yield
    except Exception as error:
        # Some runners tell a worker's error as a whole traceback of text.
        said = _WORKER_ERROR.search(f"{type(error).__name__}: {error}")
        if said:
            raise ValueError(said[1]) from error
        raise
