"""KL divergence between the candidate scores of a teacher and a student."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import anchor_dots
from keras_bert.typing import Tensor

_TINY = 1e-8


@keras.saving.register_keras_serializable("keras_bert")
class DistillKLDivLoss(EmbeddingLoss):
    """KL divergence between the candidate distributions of teacher and student.

    The candidates of an example are its positive and its negatives. A
    distribution is the softmax over the candidates' scores. The student's
    scores are dot products with the anchor.

    Args:
        temperature: temperature that divides the scores of student and
            teacher. The loss is multiplied by its square.
        normalize_scores: whether to shift and scale the student's scores of
            each example to the range from 0 to 1, as PyLate does.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size, num_texts - 1)`, the teacher's scores for
            the anchor with the positive and with each negative.
        embeddings: float `(batch_size, num_texts, dim)`, or `(batch_size,
            num_texts, num_vectors, dim)`: anchor, positive, negatives.

    Returns:
        Scalar loss, averaged over the examples.

    References:
        [Distilling Dense Representations for Ranking using Tightly-Coupled
        Teachers](https://arxiv.org/abs/2010.11386)
    """

    examples = (
        "tuples (anchor, positive, negatives) with the teacher's score of the "
        "positive and each negative"
    )
    takes_several_vectors = True

    def __init__(
        self,
        temperature: float = 1.0,
        normalize_scores: bool = False,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.positive(temperature=temperature)
        checks.flag(normalize_scores=normalize_scores)
        self.temperature = temperature
        self.normalize_scores = normalize_scores

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts > 2 and label_shape == (num_texts - 1,)

    def call(self, scores: Tensor, embeddings: Tensor) -> Tensor:
        own = anchor_dots(embeddings)
        if self.normalize_scores:
            least = ops.min(own, axis=-1, keepdims=True)
            most = ops.max(own, axis=-1, keepdims=True)
            own = (own - least) / (most - least + _TINY)
        own = ops.log_softmax(own / self.temperature)
        teacher = ops.log_softmax(scores / self.temperature)
        losses = ops.sum(ops.exp(teacher) * (teacher - own), axis=-1)
        return self.temperature**2 * losses
