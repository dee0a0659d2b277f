"""The record of a run: its settings, beside its output."""

import importlib.metadata
import json
import pathlib
import platform
import subprocess
import sys

from keras_bert import artifacts

_FILE = "run.json"
_MOST_NAMED = 5


def check_run(directory, settings, allow_changes=False):
    """Raises ValueError unless a run may begin or go on in a directory.

    Args:
        directory: `pathlib.Path`, new, empty or of an earlier run.
        settings: dict for JSON, all that the weights depend on; it may hold
            dicts and lists.
        allow_changes: bool, go on with other settings.
    """
    changed = _changes(directory / _FILE, settings)
    if changed is None and directory.is_dir() and any(directory.iterdir()):
        raise ValueError(
            "`output_dir` must be new, empty, or hold a run to continue. "
            f"Received: {str(directory)!r}."
        )
    if changed and not allow_changes:
        more = len(changed) - _MOST_NAMED
        rest = [f"and {more} more"] if more > 0 else []
        raise ValueError(
            f"{directory} holds a run with other settings: "
            f"{'; '.join(changed[:_MOST_NAMED] + rest)}. Pass "
            "allow_changed_flags=True to continue with the new ones, or choose "
            "another `output_dir`."
        )


def write_run(directory, settings):
    """Write the record of a run, unless it is written already."""
    if _changes(directory / _FILE, settings) == []:
        return
    import keras  # Late, so that a run can be checked without them.
    import tensorflow as tf

    record = {
        "settings": settings,
        "command": sys.argv,
        "versions": {
            "keras_bert": importlib.metadata.version("keras-bert-tf"),
            "keras": keras.__version__,
            "tensorflow": tf.__version__,
            "python": platform.python_version(),
        },
        "git": _git_state(),
        "machine": platform.platform(),
    }
    artifacts.write_json(directory / _FILE, record)


def _changes(path, settings):
    """Lines on what differs from a record; None where there is none."""
    try:
        record = artifacts.read_json(path)
        if record is None:
            return None
        before = record["settings"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path} must be what a run was started with. Received: a file "
            "that cannot be read. Choose another `output_dir`."
        ) from None
    return artifacts.find_differences(before, json.loads(json.dumps(settings)))


def _git_state():
    """Commit of this code, and whether files differ; None outside of git."""
    root = pathlib.Path(__file__).parent
    command = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return result.stdout.strip() or None
