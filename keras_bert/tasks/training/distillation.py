"""Knowledge distillation from the logits of a teacher.

References:
    [Distilling the Knowledge in a Neural
    Network](https://arxiv.org/abs/1503.02531), section 2
"""

import typing

import keras

from keras_bert.messages import brief
from keras_bert.tasks.training.encoded import DISTILLED
from keras_bert.tasks.training.encoded import Logits

if typing.TYPE_CHECKING:
    from keras_bert.tasks.fine_tuned_task import FineTunedTask


def teacher_logits(
    student: "FineTunedTask",
    teacher: "FineTunedTask",
    texts: typing.Any,
    labels: typing.Any = None,
) -> Logits:
    """Compute a teacher's logits for the examples of a student.

    Args:
        student: task to train.
        teacher: trained task of the same type.
        texts, labels: examples in the format of the student's `fit`.

    Returns:
        The teacher's logits, with labels in the order of the student.

    Raises:
        ValueError: teacher and student have different tasks, labels or shared
            settings.
    """
    own_class, other_class = type(student), type(teacher)
    if not (
        issubclass(own_class, other_class) or issubclass(other_class, own_class)
    ):
        raise ValueError(
            f"`teacher` must be a trained {own_class.__name__}. "
            f"Received: {other_class.__name__}."
        )
    own, theirs = student._ensemble_settings, teacher._ensemble_settings
    for name, value in own.items():
        other = theirs.get(name)
        is_same = None in (value, other) or value == other
        if name == "labels":
            is_same = {*value} == {*other}
        if not is_same:
            raise ValueError(
                f"A teacher and its student must have the same `{name}`. "
                f"Received: {name}={brief(other)} of the teacher, "
                f"{name}={brief(value)} of the student."
            )
    logits = teacher._logits(teacher._labelled(texts, labels))
    if "labels" not in own:
        return logits
    order = [theirs["labels"].index(label) for label in own["labels"]]
    if isinstance(logits, list):
        return [rows[..., order] for rows in logits]
    return logits[..., order]


def with_distilled_output(model: keras.Model) -> keras.Model:
    """Add a second output, `DISTILLED`, that copies a model's `logits`."""
    logits = model.output["logits"]
    copy = keras.layers.Identity(dtype=logits.dtype, name=DISTILLED)(logits)
    return keras.Model(model.input, {**model.output, DISTILLED: copy})
