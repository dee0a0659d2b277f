"""What a run was started with, beside its output."""

import importlib.metadata
import json
import pathlib
import platform
import subprocess
import sys

import keras
import tensorflow as tf

from keras_bert.files import whole_file

_FILE = "run.json"


def begin_run(directory, settings, allow_changes=False):
    """Writes what a run is started with, or checks that it is the same.

    Args:
        directory: `pathlib.Path`, existing: empty or of an earlier run.
        settings: dict for JSON, all that the weights depend on.
        allow_changes: bool, go on with other settings.

    Raises:
        ValueError: the directory holds something else, or a run with other
            settings.
    """
    path = directory / _FILE
    if not path.exists():
        if any(directory.iterdir()):
            raise ValueError(
                "--output_dir must be new or empty, or of a run to go on "
                f"with. Received: {str(directory)!r}."
            )
        _write(path, settings)
        return
    before = json.loads(path.read_text(encoding="utf-8"))["settings"]
    settings = json.loads(json.dumps(settings))
    changed = [
        f"{name} was {before.get(name)!r} and is {settings.get(name)!r}"
        for name in sorted({*before, *settings})
        if before.get(name) != settings.get(name)
    ]
    if changed and not allow_changes:
        raise ValueError(
            f"{directory} holds a run with other settings: "
            f"{'; '.join(changed)}. Pass --allow_changed_flags to go on with "
            "the new ones, or choose another --output_dir."
        )
    if changed:
        _write(path, settings)


def _write(path, settings):
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
    with whole_file(path) as name:
        text = json.dumps(record, indent=2) + "\n"
        pathlib.Path(name).write_text(text, encoding="utf-8")


def _git_state():
    """Commit of this code, and whether files differ; None outside of git."""
    root = pathlib.Path(__file__).parent
    command = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return result.stdout.strip() or None
