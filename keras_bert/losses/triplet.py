"""Triplet loss."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import anchor_distances
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class TripletLoss(EmbeddingLoss):
    """Loss of negatives that are not farther away than the positive.

    The loss is `max(0, d(anchor, positive) - d(anchor, negative) + margin)`
    with Euclidean distances.

    Args:
        margin: difference of the distances from which on the loss is 0.
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        text_ids: ignored.
        embeddings: float `(batch_size, 3, dim)`: anchor, positive, negative.

    Returns:
        Scalar, the mean over the triplets.

    References:
        [Sentence-BERT](https://arxiv.org/abs/1908.10084), section 3
    """

    examples = "triplets (anchor, positive, negative) without labels"

    def __init__(self, margin: float = 5.0, **kwargs: typing.Any):
        super().__init__(**kwargs)
        checks.positive(margin=margin)
        self.margin = margin

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts == 3 and label_shape is None

    def call(self, text_ids: Tensor, embeddings: Tensor) -> Tensor:
        distances = anchor_distances(embeddings)  # [B, 2]
        return ops.relu(distances[:, 0] - distances[:, 1] + self.margin)
