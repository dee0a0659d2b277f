"""Config files and version directories for TensorFlow Serving."""

import json
import pathlib

from absl import logging

from keras_bert import artifacts

MODEL_CONFIG = "model.config"
BATCHING_PARAMETERS = "batching_parameters.txt"

_BATCHING = """\
# How TensorFlow Serving joins requests that wait: --enable_batching and
# --batching_parameters_file. The number of threads is that of the server's
# cores unless num_batch_threads tells another.

# At some 32 short texts a processor has enough to do; a GPU wants more.
# Requests of more rows are refused. enable_large_batch_splitting would cut
# them, but parts whose outputs differ in length cannot be joined again.
max_batch_size { value: 32 }

# Nobody waits for others to come: what is there when a thread is free goes
# together. A GPU gains by some 1000 to 5000.
batch_timeout_micros { value: 0 }

# Who finds the queue full is told that the server is unavailable.
max_enqueued_batches { value: 100 }

# No pad_variable_length_inputs: it pads with the first value of a tensor, not
# with what the model takes for nothing. Requests whose lists differ in length
# (the signature ids, the input choices) are therefore refused if they meet.
"""


def write_serving_files(directory, labels=None):
    """Write `model.config` and `batching_parameters.txt`.

    A file that is not as we wrote it stays as it is, and the log says so.

    Args:
        directory: str, the folder of the versions, `directory/1` and so on;
            its name is the name of the model.
        labels: dict from labels to versions, int. By default the newest of
            several versions is "canary" and the one before it "stable"; a
            single one has no label.

    Raises:
        ValueError: there is no version, or a label is of none.
    """
    directory = pathlib.Path(directory).absolute()
    versions = _versions(directory)
    if labels is None:
        labels = {}
        if versions[1:]:
            labels = {"stable": versions[-2], "canary": versions[-1]}
    unknown = sorted({*labels.values()} - {*versions})
    if unknown:
        raise ValueError(
            f"Labels must be of versions in {directory}: {versions}. "
            f"Received: {unknown}."
        )
    _write(directory / MODEL_CONFIG, _model_config(directory.name, labels))
    _write(directory / BATCHING_PARAMETERS, _BATCHING)


def _versions(directory):
    versions = sorted(
        int(path.parent.name)
        for path in directory.glob("*/saved_model.pb")
        if path.parent.name.isdecimal()
    )
    if not versions:
        raise ValueError(
            "The folder of a model must hold versions, such as "
            f"{directory}/1/saved_model.pb. Received: none."
        )
    return versions


def _model_config(name, labels):
    """Return a `ModelServerConfig` as text."""
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
    if not artifacts.is_free(path):
        logging.warning("%s is not as we wrote it, and stays.", path)
        return
    with artifacts.file(path, {"command": []}, overwrite=True) as temporary:
        temporary.write_text(text, encoding="utf-8")


def version_directory(directory, version, inputs=(), overwrite=False):
    """Return the folder of a version after checking that it can be written.

    It must be new or empty; or, with `overwrite`, a SavedModel that we wrote,
    and nothing else that we wrote. It must not be among the inputs.

    Raises:
        ValueError: it may not be written, or a server knows no such version.
    """
    if version < 1:
        raise ValueError(
            f"`version` must be at least 1. Received: version={version}."
        )
    artifacts.check_no_input(directory, inputs)
    place = pathlib.Path(directory, str(version))
    artifacts.check_directory(
        place,
        inputs,
        overwrite,
        lambda manifest: "task" in manifest and "format" not in manifest,
    )
    return place
