"""Triplet loss with the hardest triplets of a batch."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.typing import Tensor

_TINY = 1e-24


@keras.saving.register_keras_serializable("keras_bert")
class BatchHardTripletLoss(EmbeddingLoss):
    """Triplet loss with the hardest positive and negative of each text.

    Texts with the same label are positives of each other. The loss of a text
    compares its Euclidean distance to the farthest positive of the batch with
    its distance to the nearest negative. Texts without a positive count as
    their own positive.

    Args:
        margin: minimum difference between the two distances, as in
            `TripletLoss`. None for the soft margin, log(1 + exp(difference)).
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size,)`, class index of each text.
        embeddings: float `(batch_size, 1, dim)`.

    Returns:
        Scalar loss, averaged over the texts.

    References:
        [In Defense of the Triplet Loss](https://arxiv.org/abs/1703.07737),
        section 2
    """

    examples = "single texts with one class index each"

    def __init__(self, margin: float | None = 5.0, **kwargs: typing.Any):
        super().__init__(**kwargs)
        if margin is not None:
            checks.positive(margin=margin)
        self.margin = margin

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts == 1 and label_shape == ()

    def min_batch_size(self, num_texts: int) -> int:
        return 2

    def call(self, labels: Tensor, embeddings: Tensor) -> Tensor:
        distances = _distances(embeddings[:, 0])  # [B, B]
        is_same = ops.equal(labels[:, None], labels[None])
        positives = ops.max(ops.where(is_same, distances, 0.0), axis=1)
        farthest = ops.max(distances, axis=1, keepdims=True)
        others = ops.where(is_same, distances + farthest, distances)
        differences = positives - ops.min(others, axis=1)
        if self.margin is None:
            return ops.softplus(differences)
        return ops.relu(differences + self.margin)


def _distances(vectors):
    """Return the Euclidean distances of all pairs of vectors."""
    products = vectors @ ops.transpose(vectors)
    squares = ops.sum(ops.square(vectors), axis=1)
    distances = squares[:, None] - 2.0 * products + squares[None]
    is_far = distances > 0.0
    # The gradient of a square root is infinite at 0.
    roots = ops.sqrt(ops.where(is_far, distances, _TINY))
    return ops.where(is_far, roots, 0.0)
