"""The two parts of a fine-tuned task: what it reads and what it answers."""

import keras
from keras import ops

from keras_bert.tasks.fine_tuning.monitoring import LabelAccuracy
from keras_bert.tasks.fine_tuning.teaching import SoftLoss


class Inputs:
    """Base class of what a task reads: checks, tokenizes and encodes texts.

    Attributes:
        text_inputs, text_shapes: as those of `Task`.
        preprocess: the preprocessor of `Task`.
        extra_inputs: tuple of str, the tensors of `preprocess` that the
            answers need and the model does not take.
        is_per_token: bool, whether the model has logits for each token.
    """

    text_inputs = ("text",)
    text_shapes = {}
    extra_inputs = ()
    is_per_token = False

    def read(self, texts):
        """Check texts to answer; return them as `encode` takes them."""

    def read_labelled(self, texts, labels):
        """Check examples and labels; return both, for `encode` and `learn`.

        Args:
            texts: as `fit` of the task takes them.
            labels: the same, or `INSIDE` if the texts include them.
        """

    def encode(self, texts, targets=None, weights=None):
        """Tokenize texts.

        Args:
            texts: as returned by `read` or `read_labelled`.
            targets, weights: as returned by `Outputs.learn`, or None.

        Returns:
            `Encoded`.
        """

    def join(self, encoded, logits):
        """Gather the logits of rows, or of their tokens, by answers."""
        return logits

    def spread(self, encoded, logits):
        """Return a teacher's logits of answers as targets of examples.

        Returns:
            A function from indices of examples to targets, in graph.
        """
        return encoded.answer_targets(logits)

    def whole_texts(self, texts):
        """Return the texts of `probabilities` as `read` takes them."""
        return texts

    def shared_texts(self, encoded, texts):
        """Return the texts for the other models of an ensemble."""
        return texts


class Outputs:
    """Base class of what a task answers: loss, metrics and decoding.

    Attributes:
        head: str, the head of a family that gives the logits.
        num_outputs: int, logits of a text, a token or a choice.
        names: tuple of str, the outputs of `graph`.
        num_probes: int, answers that show whether training went well.
        main_metric: str, the metric that chooses the best epoch.
    """

    num_probes = 512

    def learn(self, labels, class_weights):
        """Check labels; return the targets and weights for `Inputs.encode`."""

    def activation(self, logits):
        """Return the probabilities of logits."""
        return ops.softmax(logits)

    def loss(self, label_smoothing):
        """Return the Keras loss of targets and logits."""

    def soft_loss(self, temperature):
        """Return the Keras loss of the logits of teacher and student."""
        return SoftLoss(self.loss(0.0), self.activation, temperature)

    def training_metrics(self):
        """Return the Keras metrics that are logged during training."""
        return []

    def loss_arguments(self, encoded, logits):
        """Pair targets and logits of answers as `loss` takes them."""
        return encoded.own_targets, logits

    def metric_names(self, encoded):
        """Return the keys of `metrics`."""

    def metrics(self, encoded, logits):
        """Return the scores of `evaluate`, a dict of floats."""

    def is_constant(self, encoded, logits):
        """Return True if nearly all answers are equal and should differ."""

    def decode(self, encoded, logits):
        """Return the answers of `predict`."""

    def graph(self, logits, inputs):
        """Return the answers as a dict of tensors, in graph."""


class Classes(Outputs):
    """Base class of outputs that choose one of several classes."""

    main_metric = "accuracy"

    def loss(self, label_smoothing):
        return keras.losses.CategoricalCrossentropy(
            from_logits=True, label_smoothing=label_smoothing
        )

    def training_metrics(self):
        return [LabelAccuracy()]

    def probabilities(self, logits):
        """Return the probabilities of logits, an array."""
        return ops.convert_to_numpy(self.activation(logits))
