"""Output of `PairRanker`."""

import numpy as np
from keras import ops

from keras_bert import losses
from keras_bert.tasks.outputs.ranking_scores import RANKING_METRICS
from keras_bert.tasks.outputs.ranking_scores import ranking_scores
from keras_bert.tasks.outputs.text_outputs import Numbers
from keras_bert.tasks.training.collapse import are_numbers_nearly_constant

ACTIVATIONS = ("sigmoid", "linear")


class Scores(Numbers):
    """Output for ranking with one score for each document.

    Args:
        activation: str, one of `ACTIVATIONS`, applied to the predicted scores.

    Attributes:
        ranking_loss: `ScoreLoss` for training.
    """

    main_metric = RANKING_METRICS[0]

    def __init__(self, activation):
        super().__init__()
        self.ranking_loss = losses.BinaryCrossEntropyLoss()
        self._activation = activation

    def targets(self, labels, class_weights):
        """Return labels padded with minus infinity, and no weights."""
        super().targets([], class_weights)
        size = max(map(len, labels))
        targets = np.full((len(labels), size), -np.inf, np.float32)
        for row, values in zip(targets, labels, strict=True):
            row[: len(values)] = values
        return targets, None

    def activation(self, logits):
        return ops.sigmoid(logits) if self._activation == "sigmoid" else logits

    def loss(self, label_smoothing):
        super().loss(label_smoothing)
        return self.ranking_loss

    def soft_loss(self, temperature):
        return super().loss(0.0)

    def metric_names(self, encoded):
        return [*RANKING_METRICS, "spearman"]

    def metrics(self, encoded, logits):
        labels, is_valid = encoded.own_targets, np.isfinite(encoded.own_targets)
        queries = np.repeat(np.arange(len(labels)), is_valid.sum(axis=1))
        queries = [encoded.decode_context[index] for index in queries]
        return ranking_scores(queries, labels[is_valid], logits[is_valid])

    def is_constant(self, encoded, logits):
        is_valid = np.isfinite(encoded.own_targets)
        return are_numbers_nearly_constant(
            logits[is_valid], encoded.own_targets[is_valid]
        )

    def decode(self, encoded, logits):
        return ops.convert_to_numpy(self.activation(logits[:, 0])).tolist()

    def graph(self, logits, inputs):
        """Compute the predictions in a TensorFlow graph.

        Returns:
            A dict with `score`, float32 `(batch_size,)`.
        """
        return {"score": self.activation(logits[:, 0])}
