"""Squared error of the margins between a positive and its negatives."""

import keras
from keras import ops

from keras_bert.losses.score_loss import ScoreLoss
from keras_bert.losses.score_loss import mean_of_valid
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class ScoreMarginMSELoss(ScoreLoss):
    """Mean squared error between the margins of student and teacher.

    A margin is the score of the first document minus the score of another
    document. Only margins matter, so the scores may have any offset.

    Args:
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`, the teacher's scores of
            the positive and each negative, or minus infinity at padding.
        scores: float `(batch_size, num_documents)`, scores of the student.

    Returns:
        Scalar, the mean over the negatives of the batch.

    References:
        [Improving Efficient Neural Ranking Models with Cross-Architecture
        Knowledge Distillation](https://arxiv.org/abs/2010.02666), section 4
    """

    min_documents = 2

    def call(self, labels: Tensor, scores: Tensor) -> Tensor:
        is_valid = ops.isfinite(labels)
        errors = ops.where(is_valid, scores - labels, 0.0)
        margin_errors = errors[:, :1] - errors[:, 1:]
        return mean_of_valid(ops.square(margin_errors), is_valid[:, 1:])
