"""Task outputs for labels, numbers and choices."""

import typing

import keras
import numpy as np
from keras import ops

from keras_bert.lazy_tensorflow import tf
from keras_bert.messages import brief
from keras_bert.tasks.labels import label_indices
from keras_bert.tasks.labels import label_rows
from keras_bert.tasks.labels import numbers
from keras_bert.tasks.outputs.label_names import label_weights
from keras_bert.tasks.outputs.outputs import TRUNCATED
from keras_bert.tasks.outputs.outputs import Classes
from keras_bert.tasks.outputs.outputs import Outputs
from keras_bert.tasks.outputs.scores import confusion_matrix
from keras_bert.tasks.outputs.scores import label_scores
from keras_bert.tasks.outputs.scores import multi_label_scores
from keras_bert.tasks.outputs.scores import pearson
from keras_bert.tasks.outputs.scores import spearman
from keras_bert.tasks.training.collapse import are_numbers_nearly_constant
from keras_bert.tasks.training.collapse import is_nearly_constant
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.monitoring import LabelAccuracy
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors

# Smaller differences between the logits of choices are rounding errors.
_FLAT = 0.01


class Labels(Classes):
    """Output for text classification with one or several labels per text.

    Args:
        labels: names of the labels.
        multi_label: whether a text may have several labels or none.
    """

    head = "classifier"

    def __init__(self, labels: list[str], multi_label: bool = False):
        self.labels, self.multi_label = labels, multi_label
        self.num_outputs = len(labels)
        label = "labels" if multi_label else "label"
        self.names = ("logits", "probabilities", label, TRUNCATED)

    def targets(
        self, labels: list, class_weights: dict[str, float] | None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        if self.multi_label:
            targets = label_rows(labels, self.labels)
        else:
            rows = np.eye(self.num_outputs, dtype=np.float32)
            targets = rows[label_indices(labels, self.labels)]
        if class_weights is None:
            return targets, None
        of_label = label_weights(class_weights, self.labels)
        return targets, (targets @ of_label) / np.maximum(targets.sum(1), 1)

    def activation(self, logits: Tensor) -> Tensor:
        return ops.sigmoid(logits) if self.multi_label else ops.softmax(logits)

    def loss(self, label_smoothing: float) -> keras.losses.Loss:
        if not self.multi_label:
            return super().loss(label_smoothing)
        return keras.losses.BinaryCrossentropy(
            from_logits=True, label_smoothing=label_smoothing
        )

    def training_metrics(self) -> list[keras.metrics.Metric]:
        return [LabelAccuracy(self.multi_label)]

    def metric_names(self, encoded: Encoded) -> list[str]:
        if self.multi_label:
            return [*multi_label_scores(*np.ones((2, 1, 1), bool))]
        return [*label_scores(np.eye(self.num_outputs, dtype=int))]

    def metrics(self, encoded: Encoded, logits: np.ndarray) -> dict[str, float]:
        targets, weights = encoded.own_targets, encoded.sample_weight
        if self.multi_label:
            return multi_label_scores(targets > 0.5, logits >= 0, weights)
        matrix = confusion_matrix(
            targets.argmax(1), logits.argmax(1), self.num_outputs, weights
        )
        return label_scores(matrix)

    def is_constant(self, encoded: Encoded, logits: np.ndarray) -> bool:
        answers = logits >= 0 if self.multi_label else logits.argmax(1)
        return is_nearly_constant(answers, encoded.own_targets)

    def decode(self, encoded: Encoded, logits: np.ndarray) -> list[typing.Any]:
        answers = []
        probabilities = self.probabilities(logits)
        for row, is_cut in zip(probabilities, encoded.truncated, strict=True):
            named = [
                {
                    "label": self.labels[index],
                    "probability": float(row[index]),
                    TRUNCATED: bool(is_cut),
                }
                for index in np.argsort(-row, kind="stable")
            ]
            several = [x for x in named if x["probability"] >= 0.5]
            answers.append(several if self.multi_label else named[0])
        return answers

    def graph(self, logits: Tensor, inputs: Tensors) -> Tensors:
        """Compute the predictions in a TensorFlow graph.

        Returns:
            A dict with `logits` and `probabilities`, float32
            `(batch_size, num_labels)`, and `label`, string `(batch_size,)`,
            the most probable label. If `multi_label` is set, `labels`, string
            `(batch_size, num_labels)`, replaces `label`. It contains the
            labels of a text, most probable first, padded with "".
        """
        probabilities = self.activation(logits)
        outputs = {"logits": logits, "probabilities": probabilities}
        if self.multi_label:
            # Select by index: TFLite cannot select between strings.
            sorted_ones, order = tf.math.top_k(probabilities, self.num_outputs)
            order = tf.where(sorted_ones >= 0.5, order, self.num_outputs)
            names = tf.constant([*self.labels, ""])
            return {**outputs, "labels": tf.gather(names, order)}
        best = tf.argmax(logits, axis=-1)
        return {**outputs, "label": tf.gather(tf.constant(self.labels), best)}


class Choice(Classes):
    """Output for multiple choice that selects the best choice."""

    head = "choice_scorer"
    num_outputs = 1
    names = ("logits", "probabilities", "choice", TRUNCATED)

    def targets(
        self, labels: np.ndarray, class_weights: dict[str, float] | None
    ) -> tuple[np.ndarray, None]:
        if class_weights is not None:
            raise ValueError(
                "`class_weights` is for labels with names, not for choices. "
                f"Received: class_weights={brief(class_weights)}."
            )
        return labels, None

    def metric_names(self, encoded: Encoded) -> list[str]:
        return ["accuracy"]

    def metrics(self, encoded: Encoded, logits: np.ndarray) -> dict[str, float]:
        is_right = logits.argmax(axis=1) == encoded.own_targets.argmax(axis=1)
        accuracy = np.average(is_right, weights=encoded.sample_weight)
        return {"accuracy": float(accuracy)}

    def is_constant(self, encoded: Encoded, logits: np.ndarray) -> bool:
        # If all scores are equal, rounding errors decide the argmax.
        is_flat = (np.ptp(logits, axis=1) < _FLAT).all()
        answers = np.where(is_flat, 0, logits.argmax(axis=1))
        return is_nearly_constant(answers, encoded.own_targets)

    def decode(
        self, encoded: Encoded, logits: np.ndarray
    ) -> list[dict[str, typing.Any]]:
        probabilities = self.probabilities(logits)
        return [
            {
                "choice": int(row.argmax()),
                "probability": float(row.max()),
                TRUNCATED: bool(is_cut),
            }
            for row, is_cut in zip(
                probabilities, encoded.truncated, strict=True
            )
        ]

    def graph(self, logits: Tensor, inputs: Tensors) -> Tensors:
        """Compute the predictions in a TensorFlow graph.

        Returns:
            A dict with `logits` and `probabilities`, float32
            `(batch_size, num_choices)`, and `choice`, int32 `(batch_size,)`,
            the index of the most probable choice.
        """
        return {
            "logits": logits,
            "probabilities": self.activation(logits),
            # TFLite lacks a bit operation of `keras.ops.argmax`.
            "choice": tf.argmax(logits, axis=-1, output_type=tf.int32),
        }


class Numbers(Outputs):
    """Output for regression with one or several numbers per text.

    Args:
        num_outputs: number of numbers per text.
    """

    head = "classifier"
    main_metric = "spearman"
    names = ("score", TRUNCATED)

    def __init__(self, num_outputs: int = 1):
        self.num_outputs = num_outputs

    def targets(
        self, labels: list, class_weights: dict[str, float] | None
    ) -> tuple[np.ndarray, None]:
        if class_weights is not None:
            raise ValueError(
                "`class_weights` is for labels, not for regression. "
                f"Received: class_weights={brief(class_weights)}."
            )
        return numbers(labels, self.num_outputs), None

    def loss(self, label_smoothing: float) -> keras.losses.Loss:
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` is for labels, not for regression. "
                f"Received: label_smoothing={label_smoothing}."
            )
        return keras.losses.MeanSquaredError()

    def soft_loss(self, temperature: float) -> keras.losses.Loss:
        return self.loss(0.0)  # Regression has no temperature.

    def metric_names(self, encoded: Encoded) -> list[str]:
        return ["pearson", "spearman", "mean_squared_error"]

    def metrics(self, encoded: Encoded, logits: np.ndarray) -> dict[str, float]:
        labels = encoded.own_targets.astype(float)
        weights = encoded.sample_weight
        pairs = [*zip(labels.T, logits.T.astype(float), strict=True)]
        errors = np.mean((labels - logits) ** 2, axis=1)
        return {
            "pearson": float(np.mean([pearson(*x, weights) for x in pairs])),
            "spearman": float(np.mean([spearman(*x, weights) for x in pairs])),
            "mean_squared_error": float(np.average(errors, weights=weights)),
        }

    def is_constant(self, encoded: Encoded, logits: np.ndarray) -> bool:
        return are_numbers_nearly_constant(logits, encoded.own_targets)

    def decode(
        self, encoded: Encoded, logits: np.ndarray
    ) -> list[float] | list[list[float]]:
        return self._squeezed(logits).tolist()

    def graph(self, logits: Tensor, inputs: Tensors) -> Tensors:
        """Compute the predictions in a TensorFlow graph.

        Returns:
            A dict with `score`, float32 `(batch_size,)`, or `(batch_size,
            num_outputs)` if there are several outputs.
        """
        return {"score": self._squeezed(logits)}

    def _squeezed(self, logits: Tensor) -> Tensor:
        return logits[:, 0] if self.num_outputs == 1 else logits
