"""Distillation losses between the logits of a teacher and a student.

References:
    [Distilling the Knowledge in a Neural
    Network](https://arxiv.org/abs/1503.02531), section 2
"""

import collections.abc

import keras
from keras import ops

from keras_bert.typing import Tensor

# Minus infinity would make the gradient of a mean NaN.
_PADDING_LOGIT = -1e9


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
