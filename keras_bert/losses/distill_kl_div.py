"""Divergence between the ranking of a student and its teacher."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import anchor_dots
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class DistillKLDivLoss(EmbeddingLoss):
    """Divergence of the student's candidate probabilities from the teacher's.

    The probabilities are the softmax over the positive and the negatives of an
    example. The student's scores are dot products.

    Args:
        temperature: divisor of the scores of student and teacher. The loss is
            multiplied by its square.
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size, num_texts - 1)`, the teacher's scores of
            the anchor with the positive and each negative.
        embeddings: float `(batch_size, num_texts, dim)`: anchor, positive,
            negatives.

    Returns:
        Scalar, the mean over the examples.

    References:
        [Distilling Dense Representations for Ranking using Tightly-Coupled
        Teachers](https://arxiv.org/abs/2010.11386)
    """

    examples = (
        "tuples (anchor, positive, negatives) with the teacher's score of the "
        "positive and each negative"
    )

    def __init__(self, temperature: float = 1.0, **kwargs: typing.Any):
        super().__init__(**kwargs)
        checks.positive(temperature=temperature)
        self.temperature = temperature

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts > 2 and label_shape == (num_texts - 1,)

    def call(self, scores: Tensor, embeddings: Tensor) -> Tensor:
        own = ops.log_softmax(anchor_dots(embeddings) / self.temperature)
        teacher = ops.log_softmax(scores / self.temperature)
        losses = ops.sum(ops.exp(teacher) * (teacher - own), axis=-1)
        return self.temperature**2 * losses
