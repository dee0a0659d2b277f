"""Base classes for the outputs of fine-tuned tasks."""

import keras
from keras import ops

from keras_bert.tasks.training.distillation import SoftLoss
from keras_bert.tasks.training.monitoring import LabelAccuracy

# Output of tasks on texts: whether a text was truncated.
TRUNCATED = "truncated"


class Outputs:
    """Base class for task outputs, with loss, metrics and decoding.

    Attributes:
        head: str, name of the model head that computes the logits.
        num_outputs: int, number of logits per text, token or choice.
        names: tuple of str, names of the outputs of `graph`.
        num_probes: int, number of predictions that are checked after training.
        main_metric: str, metric that selects the best epoch.
    """

    num_probes = 512

    def targets(self, labels, class_weights):
        """Check labels and return targets and weights for `Inputs.encode`."""

    def activation(self, logits):
        """Convert logits to probabilities."""
        return ops.softmax(logits)

    def loss(self, label_smoothing):
        """Return the Keras loss between targets and logits."""

    def soft_loss(self, temperature):
        """Return the Keras loss between the logits of teacher and student."""
        return SoftLoss(self.loss(0.0), self.activation, temperature)

    def training_metrics(self):
        """Return the Keras metrics that are logged during training."""
        return []

    def loss_arguments(self, encoded, logits):
        """Return the targets, logits and weights to call `loss` with."""
        return encoded.own_targets, logits, encoded.sample_weight

    def metric_names(self, encoded):
        """Return the keys of `metrics`."""

    def metrics(self, encoded, logits):
        """Return the metrics for `evaluate` as a dict of floats."""

    def is_constant(self, encoded, logits):
        """Return True if nearly all predictions are equal but labels differ."""

    def decode(self, encoded, logits):
        """Convert logits to the results of `predict`."""

    def graph(self, logits, inputs):
        """Compute the predicted tensors in a TensorFlow graph."""


class Classes(Outputs):
    """Base class for task outputs that select one of several classes."""

    main_metric = "accuracy"

    def loss(self, label_smoothing):
        return keras.losses.CategoricalCrossentropy(
            from_logits=True, label_smoothing=label_smoothing
        )

    def training_metrics(self):
        return [LabelAccuracy()]

    def probabilities(self, logits):
        """Convert logits to an array of probabilities."""
        return ops.convert_to_numpy(self.activation(logits))
