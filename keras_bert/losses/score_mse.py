"""Mean squared error between relevance scores and labels."""

import keras
from keras import ops

from keras_bert.losses.score_loss import ScoreLoss
from keras_bert.losses.score_loss import mean_of_valid
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class ScoreMSELoss(ScoreLoss):
    """Mean squared error between scores and labels of any range.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`, such as a teacher's
            scores; minus infinity marks padding, which is ignored.
        scores: float `(batch_size, num_documents)`.

    Returns:
        Scalar loss, averaged over the documents of the batch.
    """

    def call(self, labels: Tensor, scores: Tensor) -> Tensor:
        is_valid = ops.isfinite(labels)
        errors = ops.where(is_valid, scores - labels, 0.0)
        return mean_of_valid(ops.square(errors), is_valid)
