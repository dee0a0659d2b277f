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
    """Triplet margin loss with Euclidean distances.

    The loss is `max(0, d(anchor, positive) - d(anchor, negative) + margin)`,
    where `d` is the Euclidean distance.

    Args:
        margin: minimum difference between the two distances; the loss is 0 if
            it is reached.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        text_ids: ignored.
        embeddings: float `(batch_size, 3, dim)`: anchor, positive, negative.

    Returns:
        Scalar loss, averaged over the triplets.

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
