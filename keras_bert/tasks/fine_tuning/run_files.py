"""What a program that fine-tunes writes beside its model."""

import json
import pathlib

from keras_bert.checkpoints.layout import check_input
from keras_bert.checkpoints.layout import check_output
from keras_bert.outputs import check_output_files
from keras_bert.outputs import recorded_file

EVALUATION = "eval.json"


def check_run_files(init_dir, directory, names, inputs=(), overwrite=False):
    """Raises ValueError unless a run may read and write where it wants to.

    Args:
        init_dir: str, directory or name of the model to start from.
        directory: str, where the model goes; made if needed.
        names: list of str, the other files that are written there.
        inputs: list of str, the files that are read.
        overwrite: bool, replace what an earlier run has written.
    """
    check_input(init_dir)
    inputs = [init_dir, *inputs]
    check_output(directory, inputs=inputs, overwrite=overwrite)
    paths = [pathlib.Path(directory, name) for name in names]
    check_output_files(paths, inputs, overwrite)


def write_run_file(directory, name, text):
    """Writes a file of a run, and a manifest beside it.

    Args:
        directory: str, existing.
        name: str.
        text: str.
    """
    with recorded_file(pathlib.Path(directory, name)) as temporary:
        pathlib.Path(temporary).write_text(text, encoding="utf-8")


def write_evaluation(directory, metrics):
    """Writes `eval.json`.

    Args:
        directory: str, existing.
        metrics: dict from a part of the data, such as "dev", to a dict of
            floats.
    """
    text = json.dumps(metrics, indent=2) + "\n"
    write_run_file(directory, EVALUATION, text)
