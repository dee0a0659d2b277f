"""Settings of a run, written to its output directory."""

import importlib.metadata
import json
import pathlib
import platform
import subprocess
import sys

from keras_bert.files.atomic import read_json
from keras_bert.files.atomic import write_json
from keras_bert.files.resumable import check_same_settings

_FILE = "run.json"


def check_run(directory, settings, allow_changes=False):
    """Raise ValueError unless a run may start or continue in a directory.

    Args:
        directory: `pathlib.Path` that is new, empty or contains an earlier run.
        settings: JSON-serializable dict of all settings that affect the
            weights.
        allow_changes: bool, whether to resume with different settings.
    """
    before = _recorded_settings(directory)
    if before is None and directory.is_dir() and any(directory.iterdir()):
        raise ValueError(
            "`output_dir` must be new, empty or contain a run to resume. "
            f"Received: {str(directory)!r}."
        )
    if before is not None and not allow_changes:
        check_same_settings(
            {"settings": before},
            {"settings": settings},
            directory,
            "pass allow_changed_flags=True to continue with the new ones, or "
            "choose another `output_dir`",
        )


def write_run(directory, settings):
    """Write the settings of a run to run.json, unless the file exists."""
    if _recorded_settings(directory) == json.loads(json.dumps(settings)):
        return
    import keras  # Import late, so that checks do not load Keras.
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
    write_json(directory / _FILE, record)


def _recorded_settings(directory):
    """Return the settings of the run in a directory, or None."""
    try:
        record = read_json(directory / _FILE)
    except ValueError:
        return None
    return record.get("settings") if isinstance(record, dict) else None


def _git_state():
    """Return the git commit, with a suffix for changed files, or None."""
    root = pathlib.Path(__file__).parent
    command = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return result.stdout.strip() or None
