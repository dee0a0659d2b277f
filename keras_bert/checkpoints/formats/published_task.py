"""Tasks of fine-tuned models in a config.json of Hugging Face."""

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.formats.hugging_face_names import task_class
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.checkpoints.weight_table import head_rows

# By the part that is the head.
_TASKS = {
    "classifier": "TextClassifier",
    "token_classifier": "TokenClassifier",
    "choice_scorer": "MultipleChoice",
    "span_classifier": "QuestionAnswerer",
}
_REGRESSION = "regression"
_SINGLE_LABEL = "single_label_classification"
_MULTI_LABEL = "multi_label_classification"


def published_task(values, family, shapes, path):
    """Finds the task that a config.json names by its class.

    Args:
        values: dict, what the file holds.
        family: `Family`.
        shapes: dict of the shapes of the arrays beside it, by name.
        path: `pathlib.Path` of the file, for messages.

    Returns:
        A `TaskRecord`, or None if the class is of no task that we know.

    Raises:
        CheckpointError: the labels do not fit the weights.
    """
    classes = values.get("architectures") or []
    for part in family.task_heads:
        if task_class(family, part) in classes:
            break
    else:
        return None
    head = HeadSize(part, _num_outputs(family, part, shapes))
    if part in ("choice_scorer", "span_classifier"):
        return TaskRecord(_TASKS[part], head, {})
    problem = values.get("problem_type")
    if part == "classifier" and (
        problem == _REGRESSION or (not problem and head.num_outputs == 1)
    ):
        return TaskRecord("TextRegressor", head, {})
    settings = {"labels": _labels(values, head.num_outputs, path)}
    if part == "classifier":
        settings["multi_label"] = problem == _MULTI_LABEL
    return TaskRecord(_TASKS[part], head, settings)


def published_settings(task):
    """Makes the keys of a config.json that describe a `TaskRecord` or None."""
    if task is None:
        return {}
    if task.task == "TextRegressor":
        labels, problem = ["LABEL_0"], _REGRESSION
    else:
        labels = task.settings.get("labels")
        is_multi = task.settings.get("multi_label")
        problem = _MULTI_LABEL if is_multi else _SINGLE_LABEL
    if labels is None:
        return {}
    settings = {
        "id2label": {str(index): name for index, name in enumerate(labels)},
        "label2id": {name: index for index, name in enumerate(labels)},
    }
    if task.head.part == "classifier":
        settings["problem_type"] = problem
    return settings


def _num_outputs(family, part, shapes):
    """Counts the outputs of the weights; 1 where they lack the head."""
    for row in head_rows(family.model_type, part):
        name = row["hugging_face"].partition("@")[0]
        if "logits/bias" in row["weight"] and name in shapes:
            return shapes[name][0] if shapes[name] else 1
    return 1


def _labels(values, num_labels, path):
    """Lists the names of the labels, as transformers makes them up."""
    names = values.get("id2label")
    if names is None:
        return [f"LABEL_{index}" for index in range(num_labels)]
    try:
        labels = {int(index): str(name) for index, name in names.items()}
        ordered = [labels[index] for index in range(num_labels)]
    except (AttributeError, KeyError, ValueError):
        ordered = []
    if (
        not ordered
        or len(names) != num_labels
        or len(set(ordered)) != len(ordered)
    ):
        raise CheckpointError(
            f"{path}: `id2label` must name each of the {num_labels} outputs "
            f"of the weights once. Received: id2label={names!r}."
        )
    return ordered
