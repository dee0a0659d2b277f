"""Contrastive loss for pairs that match or do not."""

import typing

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import pair_cosines
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class ContrastiveLoss(EmbeddingLoss):
    """Contrastive loss with cosine distances.

    The distance is 1 minus the cosine similarity. The loss of a pair that
    matches is half its squared distance. The loss of another pair is half the
    square of `max(0, margin - distance)`.

    Args:
        margin: distance from which pairs that do not match have no loss.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size,)`, 1 for pairs that match and 0 for others.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        Scalar loss, averaged over the pairs.

    References:
        [Dimensionality Reduction by Learning an Invariant
        Mapping](https://doi.org/10.1109/CVPR.2006.100), section 2.1
    """

    examples = "pairs with one label each, 0 or 1"

    def __init__(self, margin: float = 0.5, **kwargs: typing.Any):
        super().__init__(**kwargs)
        checks.positive(margin=margin)
        self.margin = margin

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts == 2 and label_shape == ()

    def check(
        self, num_texts: int, labels: np.ndarray | None, dim: int
    ) -> None:
        super().check(num_texts, labels, dim)
        for index in np.flatnonzero((labels != 0) & (labels != 1))[:1]:
            raise ValueError(
                "`labels` must be 0 or 1 for ContrastiveLoss. "
                f"Received: {labels[index]} at index {index}."
            )

    def call(self, labels: Tensor, embeddings: Tensor) -> Tensor:
        distances = 1.0 - pair_cosines(embeddings)
        labels = ops.cast(labels, distances.dtype)
        others = ops.square(ops.relu(self.margin - distances))
        return 0.5 * (labels * ops.square(distances) + (1.0 - labels) * others)
