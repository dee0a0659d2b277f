"""Students that learn from what a fine-tuned teacher says of the examples.

References:
    [Distilling the Knowledge in a Neural
    Network](https://arxiv.org/abs/1503.02531), section 2
"""

import keras
from keras import ops

from keras_bert.tasks.fine_tuning.encoded import DISTILLED

# No minus infinity: it would make the gradient of a mean not a number.
_PADDING_LOGIT = -1e9


def teacher_logits(student, teacher, texts, labels=None):
    """Asks a teacher of all examples that a student learns from.

    Args:
        student: `FineTunedTask`.
        teacher: `FineTunedTask` of the same task.
        texts, labels: as `fit` of the student takes them.

    Returns:
        What `logits` of the teacher returns, its labels in the student's order.

    Raises:
        ValueError: the teacher does another task, or has other labels or
            settings that the two must share.
    """
    kinds = type(student), type(teacher)
    if not (issubclass(*kinds) or issubclass(*kinds[::-1])):
        raise ValueError(
            f"`teacher` must be a trained {kinds[0].__name__}. "
            f"Received: {kinds[1].__name__}."
        )
    own, theirs = student.ensemble_settings, teacher.ensemble_settings
    for name, value in own.items():
        other = theirs.get(name)
        is_same = None in (value, other) or value == other
        if name == "labels":
            is_same = {*value} == {*other}
        if not is_same:
            raise ValueError(
                f"A teacher and its student must have the same `{name}`. "
                f"Received: {name}={other!r} of the teacher, "
                f"{name}={value!r} of the student."
            )
    logits = teacher.logits(teacher.labelled(texts, labels))
    if "labels" not in own:
        return logits
    order = [theirs["labels"].index(label) for label in own["labels"]]
    if isinstance(logits, list):
        return [rows[..., order] for rows in logits]
    return logits[..., order]


def with_taught_output(model):
    """Gives a `keras.Model` its `logits` once more, under `DISTILLED`."""
    logits = model.output["logits"]
    taught = keras.layers.Identity(dtype=logits.dtype, name=DISTILLED)(logits)
    return keras.Model(model.input, {**model.output, DISTILLED: taught})


class SoftLoss(keras.losses.Loss):
    """A loss of probabilities between a teacher's logits and the student's.

    It is multiplied by the square of the temperature, so that its gradients
    stay as large as those of the labels.

    Args:
        loss: Keras loss of probabilities and logits.
        probabilities: function from logits to probabilities.
        temperature: float, by which logits are divided.

    Call arguments:
        told, logits: float `(batch_size, ..., num_outputs)`.
    """

    def __init__(self, loss, probabilities, temperature, name="soft_loss"):
        super().__init__(name=name, reduction=loss.reduction)
        self.loss = loss
        self.probabilities = probabilities
        self.temperature = temperature

    def call(self, told, logits):
        targets = self.probabilities(told / self.temperature)
        losses = self.loss.call(targets, logits / self.temperature)
        return self.temperature**2 * losses


class SoftSpanLoss(keras.losses.Loss):
    """The mean of two soft cross entropies, of the first and the last token.

    Args:
        temperature: float, as `SoftLoss` takes it.

    Call arguments:
        told, logits: float `(batch_size, seq_length, 2)`; minus infinity in
            `told` at padding, which takes no part.
    """

    def __init__(self, temperature, name="soft_span_loss"):
        super().__init__(name=name, reduction="mean_with_sample_weight")
        self.temperature = temperature

    def call(self, told, logits):
        is_token = ops.isfinite(told)
        told, logits = (
            ops.where(is_token, x, _PADDING_LOGIT) / self.temperature
            for x in (told, logits)
        )
        targets = ops.softmax(told, axis=1)
        losses = -ops.sum(targets * ops.log_softmax(logits, axis=1), axis=1)
        return self.temperature**2 * ops.mean(losses, axis=-1)
