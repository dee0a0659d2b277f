"""What a run depends on, kept as JSON and compared."""

import json
import pathlib

from keras_bert.files import whole_file


def read_settings(path):
    """The settings that a run has recorded in a file."""
    try:
        return dict(read_json(path)["settings"])
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"{path} must be of an earlier run of this program. Received: a "
            "file without settings. Move it away."
        ) from None


def find_differences(old, new, prefix=""):
    """Lines that name what differs between two nested dicts."""
    lines = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            lines += find_differences(before, after, f"{prefix}{key}: ")
        elif before != after:
            lines.append(f"{prefix}{key} was {before!r}, now {after!r}")
    return lines


def read_json(path):
    """The contents of a JSON file, or None if there is none."""
    path = pathlib.Path(path)
    if not path.exists():
        return None
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path, values):
    """Writes a JSON file, whole or not at all."""
    with whole_file(path) as name:
        text = json.dumps(values, indent=2) + "\n"
        pathlib.Path(name).write_text(text, encoding="utf-8")
