"""Mean squared error between the score margins of teacher and student."""

import keras
from keras import ops

from keras_bert.losses.score_loss import ScoreLoss
from keras_bert.losses.score_loss import mean_of_valid
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class ScoreMarginMSELoss(ScoreLoss):
    """Mean squared error between the score margins of student and teacher.

    A margin is the score of the first document, the positive, minus the score
    of another document. Adding a constant to all scores does not change the
    loss.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`, the teacher's scores for
            the positive and each negative; minus infinity marks padding.
        scores: float `(batch_size, num_documents)`, the student's scores.

    Returns:
        Scalar loss, averaged over the negatives of the batch.

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
