"""Knowledge distillation from the logits of a teacher.

References:
    [Distilling the Knowledge in a Neural
    Network](https://arxiv.org/abs/1503.02531), section 2
"""

import collections.abc
import typing

import keras
from keras import ops

from keras_bert.messages import brief
from keras_bert.tasks.training.encoded import DISTILLED
from keras_bert.tasks.training.encoded import Logits
from keras_bert.typing import Tensor

if typing.TYPE_CHECKING:
    from keras_bert.tasks.fine_tuned_task import FineTunedTask

# Minus infinity would make the gradient of a mean NaN.
_PADDING_LOGIT = -1e9


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


class SoftLoss(keras.losses.Loss):
    """Distillation loss between the logits of teacher and student.

    The loss is multiplied by the square of the temperature, so that the scale
    of its gradients does not depend on the temperature.

    Args:
        loss: loss that compares probabilities with logits.
        probabilities: function that converts logits to probabilities.
        temperature: divisor of the logits.

    Call arguments:
        teacher_targets, logits: float `(batch_size, ..., num_outputs)`,
            logits of the teacher and of the student.
    """

    def __init__(
        self,
        loss: keras.losses.Loss,
        probabilities: collections.abc.Callable[[Tensor], Tensor],
        temperature: float,
        name: str = "soft_loss",
    ):
        super().__init__(name=name, reduction=loss.reduction)
        self.loss = loss
        self.probabilities = probabilities
        self.temperature = temperature

    def call(self, teacher_targets: Tensor, logits: Tensor) -> Tensor:
        targets = self.probabilities(teacher_targets / self.temperature)
        losses = self.loss.call(targets, logits / self.temperature)
        return self.temperature**2 * losses


class SoftSpanLoss(keras.losses.Loss):
    """Distillation loss for spans, averaged over start and end logits.

    Args:
        temperature: divisor of the logits.

    Call arguments:
        teacher_targets, logits: float `(batch_size, seq_length, 2)`, logits
            of the teacher and of the student. `teacher_targets` is minus
            infinity at padding, which is ignored.
    """

    def __init__(self, temperature: float, name: str = "soft_span_loss"):
        super().__init__(name=name, reduction="mean_with_sample_weight")
        self.temperature = temperature

    def call(self, teacher_targets: Tensor, logits: Tensor) -> Tensor:
        is_token = ops.isfinite(teacher_targets)
        teacher_targets, logits = (
            ops.where(is_token, x, _PADDING_LOGIT) / self.temperature
            for x in (teacher_targets, logits)
        )
        targets = ops.softmax(teacher_targets, axis=1)
        losses = -ops.sum(targets * ops.log_softmax(logits, axis=1), axis=1)
        return self.temperature**2 * ops.mean(losses, axis=-1)
