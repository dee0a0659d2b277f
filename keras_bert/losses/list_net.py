"""ListNet loss for ranking documents."""

import keras
from keras import ops

from keras_bert.losses.score_loss import ScoreLoss
from keras_bert.typing import Tensor

_PADDING_SCORE = -1e16


@keras.saving.register_keras_serializable("keras_bert")
class ListNetLoss(ScoreLoss):
    """Listwise cross-entropy between softmax(labels) and softmax(scores).

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`; minus infinity marks
            padding, which is ignored.
        scores: float `(batch_size, num_documents)`.

    Returns:
        Scalar loss, averaged over the queries of the batch.

    References:
        [Learning to Rank: From Pairwise Approach to Listwise
        Approach](https://www.microsoft.com/en-us/research/publication/learning-to-rank-from-pairwise-approach-to-listwise-approach/)
    """

    min_documents = 2

    def call(self, labels: Tensor, scores: Tensor) -> Tensor:
        is_valid = ops.isfinite(labels)
        scores = ops.where(is_valid, scores, _PADDING_SCORE)
        targets = ops.softmax(labels, axis=-1)
        return -ops.sum(targets * ops.log_softmax(scores, axis=-1), axis=-1)
