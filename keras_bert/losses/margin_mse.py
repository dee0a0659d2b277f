"""Mean squared error between the margins of teacher and student."""

import keras
from keras import ops

from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import anchor_dots
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class MarginMSELoss(EmbeddingLoss):
    """Mean squared error between the margins of student and teacher.

    A margin is the score of the positive minus the score of a negative. The
    student's scores are dot products.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size, num_texts - 1)`, the teacher's scores for
            the anchor with the positive and with each negative. Or the
            teacher's margins, `(batch_size, num_texts - 2)`; for triplets also
            `(batch_size,)`.
        embeddings: float `(batch_size, num_texts, dim)`, or `(batch_size,
            num_texts, num_vectors, dim)`: anchor, positive, negatives.

    Returns:
        Scalar loss, averaged over all examples and negatives.

    References:
        [Improving Efficient Neural Ranking Models with Cross-Architecture
        Knowledge Distillation](https://arxiv.org/abs/2010.02666)
    """

    examples = (
        "tuples (anchor, positive, negatives) with the teacher's score of the "
        "positive and each negative, or with one margin per negative"
    )
    takes_several_vectors = True

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        if label_shape == ():
            return num_texts == 3
        return num_texts > 2 and label_shape in (
            (num_texts - 1,),
            (num_texts - 2,),
        )

    def call(self, scores: Tensor, embeddings: Tensor) -> Tensor:
        num_scores = embeddings.shape[1] - 1
        margins = scores
        if len(scores.shape) == 1:
            margins = scores[:, None]
        elif scores.shape[1] == num_scores:
            margins = scores[:, :1] - scores[:, 1:]
        own = anchor_dots(embeddings)
        own = own[:, :1] - own[:, 1:]
        return ops.mean(ops.square(own - margins), axis=-1)
