"""Base classes for the inputs and outputs of fine-tuned tasks."""

import keras
from keras import ops

from keras_bert.tasks.fine_tuning.distillation import SoftLoss
from keras_bert.tasks.fine_tuning.monitoring import LabelAccuracy


class Inputs:
    """Base class for task inputs, which checks and tokenizes texts.

    Attributes:
        text_inputs, text_shapes: attributes of `Task`.
        preprocess: preprocessor of `Task`.
        extra_inputs: tuple of str, tensors returned by `preprocess` that the
            `Outputs` use, but not the model.
        is_per_token: bool, whether the model computes logits for each token.
    """

    text_inputs = ("text",)
    text_shapes = {}
    extra_inputs = ()
    is_per_token = False

    def read(self, texts):
        """Check texts for prediction and convert them for `encode`."""

    def read_labelled(self, texts, labels):
        """Check examples and labels and convert them for `encode` and `learn`.

        Args:
            texts: examples in the format of `fit`.
            labels: labels in the format of `fit`, or `LABELS_INCLUDED`.
        """

    def encode(self, texts, targets=None, weights=None):
        """Tokenize texts.

        Args:
            texts: result of `read` or `read_labelled`.
            targets, weights: results of `Outputs.learn`, or None.

        Returns:
            `Encoded`.
        """

    def join(self, encoded, logits):
        """Combine row or token logits into the logits of predictions."""
        return logits

    def distillation_targets(self, encoded, logits):
        """Convert a teacher's logits to targets for examples.

        Returns:
            A function that maps example indices to targets.
        """
        return encoded.answer_targets(logits)

    def as_words(self, texts):
        """Convert texts passed to `probabilities` to the format of `read`."""
        return texts

    def ensemble_texts(self, encoded, texts):
        """Return the texts that the other models of an ensemble encode."""
        return texts


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
