"""Work directories of resumable runs."""

import contextlib
import functools
import json
import os
import pathlib
import shutil

from keras_bert.files.atomic import remove_leftovers
from keras_bert.files.atomic import remove_path
from keras_bert.files.manifest import LOCK
from keras_bert.files.manifest import MANIFEST
from keras_bert.files.manifest import read_manifest
from keras_bert.files.manifest import write_manifest

_MOST_NAMED = 5


def _differences(old, new, prefix=""):
    """Return descriptions of the differences between two nested dicts."""
    lines = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            lines += _differences(before, after, f"{prefix}{key}: ")
        elif before != after:
            lines.append(f"{prefix}{key} was {before!r}, now {after!r}")
    return lines


def check_same_settings(
    before, settings, earlier, advice="overwrite=True starts again"
):
    """Raise ValueError unless a run has the settings of an earlier run.

    Args:
        before: dict that contains the settings of the earlier run.
        settings: JSON-serializable dict, settings of the new run.
        earlier: str, path of the earlier run or its manifest; named in errors.
        advice: str, advice for running with different settings.
    """
    settings = json.loads(json.dumps(settings))
    before = {key: before.get(key) for key in settings}
    changed = _differences(before, settings)
    if changed:
        more = len(changed) - _MOST_NAMED
        rest = [f"and {more} more"] if more > 0 else []
        raise ValueError(
            f"The settings must match the run in {earlier}; {advice}. "
            f"Received: {'; '.join(changed[:_MOST_NAMED] + rest)}."
        )


@contextlib.contextmanager
def resumable_directory(path, settings, finished="*", overwrite=False):
    """Context manager for the work directory of a resumable job.

    The directory is deleted if the job succeeds. If the job fails or is killed,
    its finished parts are kept and reused by the next call with the same
    settings. The directory is locked for other processes.

    Args:
        path: str.
        settings: JSON-serializable dict, all settings that affect the results.
        finished: str, glob pattern of finished files in the directory, or in
            its folders.
        overwrite: bool, whether to delete finished parts of a job with other
            settings.

    Raises:
        ValueError: finished parts belong to other settings, another process
            uses the directory, or it is not a work directory.
    """
    path = pathlib.Path(path)
    manifest, own = path / MANIFEST, {MANIFEST, LOCK}
    names = {x.name for x in path.glob("*") if x.suffix != ".tmp"} - {LOCK}
    if names and read_manifest(manifest) is None:
        raise ValueError(
            f"{path} exists but is not the work directory of an interrupted "
            "run. Move or delete it."
        )
    path.mkdir(parents=True, exist_ok=True)
    with _locked(path) as is_there:
        remove_leftovers(path)
        kept = {x.relative_to(path).parts[0] for x in path.glob(finished)}
        kept = {name for name in kept - own if not name.endswith(".tmp")}
        try:
            if kept:
                check_same_settings(read_manifest(manifest), settings, path)
        except ValueError:
            if not overwrite:
                raise
            kept = set()
        for part in [*path.iterdir()]:
            if part.name not in kept | own:
                remove_path(part)
        if not kept:
            write_manifest(manifest, {}, settings)
        is_done = False
        try:
            yield path
            is_done = True
        finally:
            if is_there() and (is_done or {*os.listdir(path)} <= own):
                discard(path)


@contextlib.contextmanager
def _locked(path):
    """Lock a work directory until the block or the process ends.

    Yields:
        A callable that returns False if the directory was deleted or renamed.
    """
    with contextlib.ExitStack() as stack:
        try:
            if hasattr(os, "O_TEMPORARY"):
                # Windows deletes the file when it is closed. It is not inside
                # the directory, which could not be renamed while it is open.
                flags = os.O_CREAT | os.O_EXCL | os.O_TEMPORARY
                stack.callback(os.close, os.open(f"{path}.lock", flags))
                is_there = path.exists
            else:
                import fcntl

                file = stack.enter_context(open(path / LOCK, "wb"))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_there = functools.partial(_has_name, file)
        except (BlockingIOError, FileExistsError):
            raise ValueError(f"Another process is using {path}.") from None
        yield is_there


def _has_name(file):
    return os.fstat(file.fileno()).st_nlink > 0


def discard(directory):
    """Delete a work directory atomically."""
    gone = directory.with_name(f"{directory.name}.{os.getpid()}.tmp")
    os.replace(directory, gone)
    shutil.rmtree(gone)
