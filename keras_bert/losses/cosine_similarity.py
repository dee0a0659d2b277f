"""Mean squared error between cosine similarities and scores."""

import keras
import numpy as np
from keras import ops

from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import pair_cosines
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class CosineSimilarityLoss(EmbeddingLoss):
    """Mean squared error between cosine similarities and given scores.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size,)`, similarity labels from -1 to 1.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        Scalar loss, averaged over the pairs.

    References:
        [Sentence-BERT](https://arxiv.org/abs/1908.10084), section 3
    """

    examples = "pairs with one number each, from -1 to 1"

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts == 2 and label_shape == ()

    def check(
        self, num_texts: int, labels: np.ndarray | None, dim: int
    ) -> None:
        super().check(num_texts, labels, dim)
        for index in np.flatnonzero(np.abs(labels) > 1)[:1]:
            raise ValueError(
                "`labels` must be similarities from -1 to 1, like a cosine; "
                "divide other scores by their maximum, or use CoSENTLoss. "
                f"Received: {labels[index]} at index {index}."
            )

    def call(self, scores: Tensor, embeddings: Tensor) -> Tensor:
        return ops.square(pair_cosines(embeddings) - scores)
