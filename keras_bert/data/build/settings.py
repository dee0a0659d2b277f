"""What a run depends on, kept as JSON and compared."""

import dataclasses
import json
import pathlib

from keras_bert.files import whole_file
from keras_bert.text.tokenizer_kinds import KINDS


def settings_of(inputs, num_shards, text_options, options):
    """What the records depend on.

    Args:
        inputs: dict from the names of the inputs to what tells their contents.
        num_shards: int.
        text_options: `TextOptions`, settled.
        options: `PretrainingDataOptions`.

    Returns:
        A dict for JSON, the "settings" of the manifest.
    """
    text_settings = dataclasses.asdict(text_options)
    # Its contents count, not its name.
    del text_settings["vocab_file"]
    tokenizer = text_options.tokenizer_settings()
    text_settings.update(KINDS[tokenizer.kind].facts(tokenizer))
    return {
        "inputs": inputs,
        "vocabulary": tokenizer.vocabulary.sha256,
        "num_shards": num_shards,
        "text": text_settings,
        "examples": dataclasses.asdict(options),
    }


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
