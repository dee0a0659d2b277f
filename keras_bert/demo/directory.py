"""The directory of the demo: whose it is, and what stands in it.

Its manifest lists what the demo wrote. Of a demo that was killed, what stands
where its last stage wrote counts as written by that.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import re

from keras_bert import artifacts
from keras_bert.artifacts import whole_file

_MANIFEST = "manifest.json"
_UNDER_WAY = "under_way"  # Where a stage is writing, in the manifest.


@contextlib.contextmanager
def alone(output):
    """A context that keeps other demos out of the directory.

    It gives the descriptor of a lock. A stage that inherits it keeps them out
    even if its demo is killed.

    Raises:
        ValueError: another demo is at work there.
    """
    lock = os.open(output, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield lock
    except BlockingIOError:
        raise ValueError(
            f"No other demo may be at work in --output_dir. Received: {output}"
            ", where one is, or a stage of one that was killed. Wait for it, "
            "or end it."
        ) from None
    finally:
        os.close(lock)


def make_room(output, inputs, overwrite):
    """Removes an earlier demo; refuses what holds anything else.

    Args:
        output: `pathlib.Path`, the directory of the demo.
        inputs: list of str, files that are read.
        overwrite: bool, whether an earlier demo may be removed.

    Raises:
        ValueError: something else is in the way, or another demo is at work.
    """
    with alone(output) if output.is_dir() else contextlib.nullcontext():
        _make_room(output, inputs, overwrite)


def _make_room(output, inputs, overwrite):
    for path in inputs:
        if output.resolve() in pathlib.Path(path).resolve().parents:
            raise ValueError(
                "--input_file must not be inside --output_dir, which is made "
                f"anew. Received: {path} in {output}."
            )
    values = artifacts.read_manifest(output / _MANIFEST)
    if values is not None and _UNDER_WAY not in values:
        raise ValueError(
            "--output_dir must be new, empty or of an earlier demo. Received: "
            f"{output}, which another program made."
        )
    unfinished = _unfinished(output, values) if values else []
    if unfinished and not overwrite:
        raise ValueError(
            f"An output must be new: {output} holds a demo that was not "
            "finished. Choose another name, or pass --overwrite to replace it."
        )
    if unfinished:
        _adopt(output, values, unfinished)
    artifacts.check_output_directory(output, inputs, overwrite)
    artifacts.remove_own(output)


def _unfinished(output, values):
    """The files that the last stage of a demo left when it was killed."""
    entries = "|".join(map(re.escape, [_MANIFEST, *values[_UNDER_WAY]]))
    # Also manifests, and what has no final name yet.
    pattern = rf"\.?(manifest-)?({entries})(\.json)?(\.\d+\.tmp|\.work)?(/.*)?"
    return [
        path
        for name, path in _files(output).items()
        if name not in values["files"] and re.fullmatch(pattern, name)
    ]


def _adopt(output, values, paths):
    """Adds files to those that the demo wrote."""
    for path in paths:
        values["files"][path.relative_to(output).as_posix()] = {
            "bytes": path.stat().st_size,
            "sha256": artifacts.sha256(path),
        }
    with whole_file(output / _MANIFEST) as name:
        pathlib.Path(name).write_text(json.dumps(values), encoding="utf-8")


def record(output, under_way):
    """Writes what the demo has made, and where the next stage writes.

    Args:
        output: `pathlib.Path`, the directory of the demo.
        under_way: list of str, the entries of it that the stage writes; none
            when all is done.
    """
    artifacts.write_manifest(
        output / _MANIFEST, _files(output), {_UNDER_WAY: under_way}
    )


def _files(output):
    return {
        path.relative_to(output).as_posix(): path
        for path in sorted(output.rglob("*"))
        if not path.is_dir() and path != output / _MANIFEST
    }
