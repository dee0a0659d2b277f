"""Config files and version directories for TensorFlow Serving."""

import json
import pathlib

from absl import logging

from keras_bert.files.outputs import check_directory
from keras_bert.files.outputs import check_no_input
from keras_bert.files.outputs import is_free
from keras_bert.files.outputs import new_file
from keras_bert.typing import Path

MODEL_CONFIG = "model.config"
BATCHING_PARAMETERS = "batching_parameters.txt"

_BATCHING = """\
# Batching of requests by TensorFlow Serving: --enable_batching and
# --batching_parameters_file. num_batch_threads defaults to the number of cores.

# About 32 short texts keep a processor busy; a GPU needs more. Larger requests
# are rejected. enable_large_batch_splitting would split them, but parts with
# outputs of different lengths cannot be joined again.
max_batch_size { value: 32 }

# Requests do not wait for other requests. On a GPU, 1000 to 5000 is faster.
batch_timeout_micros { value: 0 }

# If the queue is full, the server returns the error "unavailable".
max_enqueued_batches { value: 100 }

# pad_variable_length_inputs is off, because it pads with the first value of a
# tensor, not with padding ids. Requests with lists of different lengths (the
# signature ids, the input choices) are therefore rejected in one batch.
"""


def write_serving_files(
    directory: Path, labels: dict[str, int] | None = None
) -> None:
    """Write `model.config` and `batching_parameters.txt`.

    A file that the user has changed is kept, and a warning is logged.

    Args:
        directory: parent directory of the versions (`directory/1` and so on).
            Its name is the name of the model.
        labels: dict mapping labels to versions. By default, the newest of
            several versions is "canary" and the previous one is "stable"; a
            single version has no label.

    Raises:
        ValueError: the directory contains no version, or a label refers to an
            unknown version.
    """
    directory = pathlib.Path(directory).absolute()
    versions = versions_of(directory)
    if labels is None:
        labels = {}
        if versions[1:]:
            labels = {"stable": versions[-2], "canary": versions[-1]}
    unknown = sorted({*labels.values()} - {*versions})
    if unknown:
        raise ValueError(
            f"`labels` must name versions in {directory}: {versions}. "
            f"Received these unknown versions: {unknown}."
        )
    _write(directory / MODEL_CONFIG, _model_config(directory.name, labels))
    _write(directory / BATCHING_PARAMETERS, _BATCHING)


def versions_of(directory):
    """Return the versions of a SavedModel in a directory, oldest first.

    Raises:
        ValueError: the directory contains no version.
    """
    versions = sorted(
        int(path.parent.name)
        for path in directory.glob("*/saved_model.pb")
        if path.parent.name.isdecimal()
    )
    if not versions:
        raise ValueError(
            f"{directory} must contain exported versions, such as "
            f"{directory}/1/saved_model.pb, but contains none."
        )
    return versions


def _model_config(name, labels):
    """Return a `ModelServerConfig` in text format."""
    lines = [
        f"name: {_quoted(name)}",
        f"base_path: {_quoted(f'/models/{name}')}",
        'model_platform: "tensorflow"',
    ]
    if labels:
        versions = sorted({*labels.values()})
        lines += [
            "model_version_policy {",
            "  specific {",
            *(f"    versions: {version}" for version in versions),
            "  }",
            "}",
        ]
    for label, version in labels.items():
        key = f"key: {_quoted(label)} value: {version}"
        lines.append(f"version_labels {{ {key} }}")
    text = "".join(f"    {line}\n" for line in lines)
    return (
        "# Which models and versions TensorFlow Serving loads:\n"
        "# --model_config_file.\n"
        f"model_config_list {{\n  config {{\n{text}  }}\n}}\n"
    )


def _quoted(text):
    return json.dumps(text, ensure_ascii=False)


def _write(path, text):
    if not is_free(path):
        logging.warning("%s was changed by the user and is kept.", path)
        return
    with new_file(path, {"command": []}, overwrite=True) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def version_directory(directory, version, inputs=(), overwrite=False):
    """Check that a version can be written and return its folder.

    The folder must be new or empty. If `overwrite` is True, it may also contain
    an earlier SavedModel of this library. It must not be one of `inputs`.

    Raises:
        ValueError: the folder may not be written, or the version is below 1.
    """
    if version < 1:
        raise ValueError(
            f"`version` must be at least 1. Received: version={version}."
        )
    check_no_input(directory, inputs)
    folder = pathlib.Path(directory, str(version))
    try:
        check_directory(
            folder,
            inputs,
            overwrite,
            lambda manifest: "task" in manifest and "format" not in manifest,
        )
    except ValueError as error:
        if not folder.is_dir():
            raise
        names = [path.name for path in folder.parent.iterdir()]
        free = 1 + max(int(name) for name in names if name.isdecimal())
        raise ValueError(
            f"{error} To add a version, pass version={free}."
        ) from None
    return folder
