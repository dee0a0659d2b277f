"""Base classes for the outputs of fine-tuned tasks."""

import typing

import keras
import numpy as np
from keras import ops

from keras_bert.losses.soft_loss import SoftLoss
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import Logits
from keras_bert.tasks.training.monitoring import LabelAccuracy
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors

# Output of tasks on texts: whether a text was truncated.
TRUNCATED = "truncated"


class Outputs:
    """Base class for task outputs, with loss, metrics and decoding.

    Attributes:
        head: name of the model head that computes the logits.
        num_outputs: number of logits per text, token or choice.
        names: names of the outputs of `graph`.
        num_probes: number of predictions that are checked after training.
        main_metric: metric that selects the best epoch.
    """

    head: str
    num_outputs: int
    names: tuple[str, ...]
    num_probes: int = 512
    main_metric: str

    def targets(
        self, labels: typing.Any, class_weights: dict[str, float] | None
    ) -> tuple[typing.Any, np.ndarray | None]:
        """Check labels and return targets and weights for `Inputs.encode`."""
        raise NotImplementedError

    def activation(self, logits: Tensor) -> Tensor:
        """Convert logits to probabilities."""
        return ops.softmax(logits)

    def loss(self, label_smoothing: float) -> keras.losses.Loss:
        """Return the loss between targets and logits."""
        raise NotImplementedError

    def soft_loss(self, temperature: float) -> keras.losses.Loss:
        """Return the loss between the logits of teacher and student."""
        return SoftLoss(self.loss(0.0), self.activation, temperature)

    def training_metrics(self) -> list[keras.metrics.Metric]:
        """Return the metrics that are logged during training."""
        return []

    def loss_arguments(
        self, encoded: Encoded, logits: Logits
    ) -> tuple[np.ndarray, Logits, np.ndarray]:
        """Return the targets, logits and weights to call `loss` with."""
        return encoded.own_targets, logits, encoded.sample_weight

    def metric_names(self, encoded: Encoded) -> list[str]:
        """Return the keys of `metrics`."""
        raise NotImplementedError

    def metrics(self, encoded: Encoded, logits: Logits) -> dict[str, float]:
        """Return the metrics for `evaluate`."""
        raise NotImplementedError

    def is_constant(self, encoded: Encoded, logits: Logits) -> bool:
        """Return True if nearly all predictions are equal but labels differ."""
        raise NotImplementedError

    def decode(self, encoded: Encoded, logits: Logits) -> list[typing.Any]:
        """Convert logits to the results of `predict`."""
        raise NotImplementedError

    def graph(self, logits: Tensor, inputs: Tensors) -> Tensors:
        """Compute the predicted tensors in a TensorFlow graph."""
        raise NotImplementedError


class Classes(Outputs):
    """Base class for task outputs that select one of several classes."""

    main_metric = "accuracy"

    def loss(self, label_smoothing: float) -> keras.losses.Loss:
        return keras.losses.CategoricalCrossentropy(
            from_logits=True, label_smoothing=label_smoothing
        )

    def training_metrics(self) -> list[keras.metrics.Metric]:
        return [LabelAccuracy()]

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Convert logits to an array of probabilities."""
        return ops.convert_to_numpy(self.activation(logits))
