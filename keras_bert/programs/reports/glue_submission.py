"""Predictions in the files that the server of GLUE takes."""

import math
import numbers
import os
import pathlib

from keras_bert import artifacts
from keras_bert.data.labelled.glue_tasks import glue_task


def write_glue_submission(task, split, predictions, directory, overwrite=False):
    """Writes the predictions of a test split, whole or not at all.

    A manifest beside the file says that we wrote it.

    Args:
        task: str, such as "mrpc"; one of `GLUE_TASKS`.
        split: str, a test split: "test", or "test_matched" of MNLI.
        predictions: list of the task's label names, or of numbers for
            "stsb", in the order of the split.
        directory: str, where the file goes, under its official name.
        overwrite: bool, replace what we wrote before.

    Returns:
        The path of the file, such as "directory/MRPC.tsv".

    Raises:
        ValueError: there is no such task or split, a prediction is none of
            its labels, or the file exists and may not be replaced.
    """
    task = glue_task(task)
    if split not in task.submissions:
        raise ValueError(
            f"Predictions of {task.name} must be for "
            f"{' or '.join(task.submissions)}. Received: {split!r}."
        )
    lines = _lines(task, predictions)
    path = os.path.join(directory, task.submissions[split])
    artifacts.check_output_files([path], overwrite=overwrite)
    with artifacts.recorded_file(path) as temporary:
        text = "".join(f"{line}\n" for line in lines)
        pathlib.Path(temporary).write_text(text, encoding="utf-8", newline="\n")
    return path


def _lines(task, predictions):
    lines = ["index\tprediction"]
    for index, prediction in enumerate(predictions):
        if task.is_regression:
            written = _three_decimals(task, index, prediction)
        else:
            written = _label_name(task, index, prediction)
        lines.append(f"{index}\t{written}")
    if len(lines) == 1:
        raise ValueError(
            f"There must be predictions of {task.name}. Received: none."
        )
    return lines


def _three_decimals(task, index, prediction):
    is_number = isinstance(prediction, numbers.Real)
    if not is_number or not math.isfinite(prediction):
        raise ValueError(
            f"Predictions of {task.name} must be finite numbers. Received: "
            f"{prediction!r} at index {index}."
        )
    return f"{prediction:.3f}"


def _label_name(task, index, prediction):
    if prediction not in task.label_names:
        raise ValueError(
            f"Predictions of {task.name} must be of "
            f"{', '.join(map(repr, task.label_names))}. Received: "
            f"{prediction!r} at index {index}."
        )
    return prediction
