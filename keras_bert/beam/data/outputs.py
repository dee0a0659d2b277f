"""Output files of the Beam pipelines on any Beam filesystem.

As in `keras_bert.files.outputs`, a file is replaced only if the manifest of an
earlier run lists it with the same size.
"""

import contextlib
import fnmatch
import hashlib
import json
import os
import re

import apache_beam as beam
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import PipelineOptions

from keras_bert.files.atomic import check_writable
from keras_bert.files.manifest import MANIFEST
from keras_bert.files.manifest import manifest_values
from keras_bert.files.outputs import check_no_input
from keras_bert.files.outputs import check_overwrite

_MANIFEST = MANIFEST
_RECORDS = "*-of-*.tfrecord"
_BLOCK_BYTES = 1 << 22
_WORKER_ERROR = re.compile(
    r"^ValueError: (.*?)(?: \[while running .*)?$", re.MULTILINE
)


def prepare_output(output_dir, inputs, overwrite, pattern=_RECORDS):
    """Delete the output of an earlier run and return the manifest path.

    Args:
        output_dir: str, the output directory.
        inputs: list of str, the input files.
        overwrite: bool, whether to delete the output of an earlier run.
        pattern: str, a glob for the names of the output files.

    Raises:
        ValueError: an output file exists and may not be deleted.
    """
    if "://" not in output_dir:
        check_writable(output_dir)
        os.makedirs(output_dir, exist_ok=True)
    path = FileSystems.join(output_dir, _MANIFEST)
    written = FileSystems.join(output_dir, pattern)
    matches = FileSystems.match([path, written])
    left = [file for match in matches for file in match.metadata_list]
    listed = _read_entries(path) if left else None
    for file in left:
        check_no_input(file.path, inputs)
        name = FileSystems.split(file.path)[1]
        is_own = listed is not None and (
            listed.get(name, {}).get("bytes") == file.size_in_bytes
            if name != _MANIFEST
            else all(fnmatch.fnmatch(other, pattern) for other in listed)
        )
        check_overwrite(file.path, is_own, overwrite)
    FileSystems.delete([file.path for file in left])
    return path


def _read_entries(path):
    """Return the files in a manifest of keras_bert, or None."""
    try:
        values = read_remote_json(path)
    except (OSError, ValueError):
        return None
    is_own = isinstance(values, dict) and values.get("made_by") == "keras_bert"
    return values.get("files") if is_own else None


def list_file(path):
    """Return the name and the manifest entry of a file."""
    digest, size = hashlib.sha256(), 0
    with FileSystems.open(
        path, compression_type=CompressionTypes.UNCOMPRESSED
    ) as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            size += len(block)
    entry = {"bytes": size, "sha256": digest.hexdigest()}
    return FileSystems.split(path)[1], entry


def read_remote_json(path):
    """Read a JSON file from any Beam filesystem."""
    with FileSystems.open(path) as file:
        return json.load(file)


def write_manifest(path, entries, context):
    """Write the manifest atomically.

    Args:
        path: str, path of the manifest.
        entries: dict mapping file names to entries, as returned by `list_file`.
        context: JSON-serializable dict, additional entries of the manifest. It
            must include the "command", because the command line of workers is
            different.
    """
    entries = dict(sorted(entries.items()))
    values = manifest_values(entries, context)
    with FileSystems.create(f"{path}.tmp") as file:
        file.write(json.dumps(values, indent=2).encode() + b"\n")
    FileSystems.rename([f"{path}.tmp"], [path])


@contextlib.contextmanager
def running_pipeline(runner, beam_options):
    """Context manager that runs a pipeline at the end of the block.

    A worker's ValueError is re-raised without Beam's additions to the message.

    Args:
        runner: str, name of the Beam runner.
        beam_options: list of str, flags for the runner.
    """
    try:
        with beam.Pipeline(
            runner, options=PipelineOptions([*beam_options])
        ) as pipeline:
            yield pipeline
    except Exception as error:
        # Some runners only report the traceback of a worker's error, as text.
        match = _WORKER_ERROR.search(f"{type(error).__name__}: {error}")
        if match:
            raise ValueError(match[1]) from error
        raise
