"""Squared error of scores."""

import keras
from keras import ops

from keras_bert.losses.score_loss import ScoreLoss
from keras_bert.losses.score_loss import mean_of_valid
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class ScoreMSELoss(ScoreLoss):
    """Mean squared error between scores and labels of any range.

    Args:
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`, such as the scores of a
            teacher, or minus infinity at padding.
        scores: float `(batch_size, num_documents)`.

    Returns:
        Scalar, the mean over the documents of the batch.
    """

    def call(self, labels: Tensor, scores: Tensor) -> Tensor:
        is_valid = ops.isfinite(labels)
        errors = ops.where(is_valid, scores - labels, 0.0)
        return mean_of_valid(ops.square(errors), is_valid)
