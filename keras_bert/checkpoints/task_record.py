"""`TaskRecord`, the task and labels of a fine-tuned model in `task.json`."""

import dataclasses
import typing

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import TASK
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.config import read_json_object
from keras_bert.files.atomic import write_json


@dataclasses.dataclass(frozen=True)
class TaskRecord:
    """Task of a fine-tuned model.

    Args:
        task: str, name of the class in `keras_bert.tasks`.
        head: `HeadSize` of the head, or None if there is no head.
        settings: JSON-serializable dict of task settings, such as labels,
            lengths and thresholds.
    """

    task: str
    head: HeadSize | None
    settings: dict[str, typing.Any]


def read_task(directory):
    """Read the `TaskRecord` in a directory, or return None.

    Raises:
        CheckpointError: the file cannot be used.
    """
    path = directory / TASK
    if not path.is_file():
        return None
    try:
        values = read_json_object(path)
        head = None
        if values["head"] is not None:
            head = HeadSize(str(values["head"]), int(values["num_outputs"]))
        return TaskRecord(
            str(values["task"]), head, dict(values.get("settings", {}))
        )
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} must contain the keys task, head, num_outputs and "
            f"settings of a fine-tuned model. Received: {error!r}."
        ) from None


def write_task(model, directory):
    """Write `task.json` if a model was fine-tuned for a task."""
    if model.task is None:
        return
    head = model.task.head
    values = {
        "task": model.task.task,
        "head": head and head.part,
        "num_outputs": head and head.num_outputs,
        "settings": model.task.settings,
    }
    write_json(directory / TASK, values, ensure_ascii=False)
