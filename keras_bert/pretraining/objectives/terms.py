"""Loss terms of pre-training objectives."""

import dataclasses
import typing
from collections.abc import Callable

import keras
from keras import ops

from keras_bert.losses.cross_entropy import SparseCrossEntropy
from keras_bert.losses.cross_entropy import sparse_cross_entropy
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@dataclasses.dataclass(frozen=True)
class LabelTerm:
    """Loss term for cross-entropy and accuracy of one model output.

    Other loss terms have the same members `outputs`, `name`, `factor`,
    `total_weight` and `sums`. They may use several outputs and other labels and
    weights of the batch.

    Args:
        output: name of a model output and of its labels and weights in a
            batch, such as "mlm_logits".
        factor: weight of this term in the total loss.
    """

    output: str
    factor: float = 1.0

    @property
    def outputs(self) -> tuple[str]:
        """Return the names of the outputs that the term uses."""
        return (self.output,)

    @property
    def name(self) -> str:
        """Return the prefix of the metrics, such as "mlm"."""
        return self.output.removesuffix("_logits")

    def total_weight(self, weights: Tensors) -> Tensor:
        """Sum the weights of a batch before the forward pass.

        Args:
            weights: float32 weights of the batch by name.

        Returns:
            float32 scalar.
        """
        return ops.sum(weights[self.output])

    def sums(
        self, outputs: Tensors, labels: Tensors, weights: Tensors
    ) -> Tensors:
        """Return weighted sums over the predictions, for the metrics.

        Args:
            outputs: outputs of the model by name.
            labels: integer labels of the batch by name.
            weights: float32 weights of the batch by name.

        Returns:
            float32 scalars: the weighted sums `loss`, `accuracy` and any
            others, and the total `weight` to divide them by.
        """
        # Masked LM: logits [B, P, V], labels and weights [B, P].
        # Sentence pairs: logits [B, 2], labels and weights [B].
        logits, labels = outputs[self.output], labels[self.output]
        weights = weights[self.output]
        losses = sparse_cross_entropy(labels, logits)
        return {
            "loss": ops.sum(losses * weights),
            "accuracy": ops.sum(_is_right(labels, logits) * weights),
            "weight": ops.sum(weights),
        }

    def keras_loss(self) -> keras.losses.Loss:
        """Return the equivalent Keras loss for `compile`."""
        return SparseCrossEntropy(
            self.factor, reduction="mean_with_sample_weight"
        )

    def keras_metric(self) -> keras.metrics.Metric:
        """Return the equivalent Keras metric for `compile`."""
        return keras.metrics.SparseCategoricalAccuracy(
            name=f"{self.name}_accuracy"
        )


@dataclasses.dataclass(frozen=True)
class TokenTerm:
    """Loss term that averages over all tokens, including special tokens.

    Args:
        name: the prefix of the metrics.
        outputs: the outputs of the model that the term uses.
        measure: function that takes the outputs and the labels, and returns
            float32 `(batch_size, seq_length)` tensors: `loss` and others, such
            as `accuracy`.
        factor: weight of this term in the total loss.
    """

    name: str
    outputs: tuple[str, ...]
    measure: Callable[[Tensors, Tensors], Tensors]
    factor: float = 1.0

    def total_weight(self, weights: Tensors) -> Tensor:
        """Count the tokens in a batch, see `LabelTerm`."""
        return ops.sum(weights["tokens"])

    def sums(
        self, outputs: Tensors, labels: Tensors, weights: Tensors
    ) -> Tensors:
        """Return the sums over the tokens, see `LabelTerm`."""
        # The sum of 1.0 * weights is the number of tokens.
        measured = {**self.measure(outputs, labels), "weight": 1.0}
        return {k: ops.sum(x * weights["tokens"]) for k, x in measured.items()}


LossTerm: typing.TypeAlias = LabelTerm | TokenTerm
"""A term of the loss of an objective."""


def _is_right(labels: Tensor, logits: Tensor) -> Tensor:
    """Return 1.0 if the label has the largest logit, else 0.0.

    On TensorFlow, `ops.argmax` (used by Keras's accuracy) copies the logits,
    which are the largest tensors of a step. `ops.top_k` does not copy them and
    is faster.
    """
    _, guesses = ops.top_k(logits, 1)  # [B, P, 1] or [B, 1]
    guesses = ops.cast(ops.squeeze(guesses, -1), "int32")
    return ops.cast(guesses == ops.cast(labels, "int32"), "float32")


def mean_metrics(sums: Tensors) -> dict[str, float]:
    """Divide sums over steps and devices by their weights.

    Args:
        sums: scalars, as returned by `PretrainingLoop.train`.

    Returns:
        Means such as `mlm_loss` and `mlm_accuracy` for the term mlm. In
        training, also `loss` and `gradient_norm`, means over the steps that
        were not skipped.
    """
    means = {}
    for name in sums:
        # "mlm/loss" is a sum of a term; "tokens" has no term.
        term, _, quantity = name.partition("/")
        if quantity not in ("", "weight"):
            weight = max(float(sums[f"{term}/weight"]), 1.0)
            means[f"{term}_{quantity}"] = float(sums[name]) / weight
    if "steps" in sums:
        steps = max(float(sums["steps"]), 1.0)
        means["loss"] = float(sums["loss"]) / steps
        means["gradient_norm"] = float(sums["gradient_norm"]) / steps
    return means
