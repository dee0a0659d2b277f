"""Binary cross-entropy loss for relevance scores."""

import keras
from keras import ops

from keras_bert.losses.score_loss import ScoreLoss
from keras_bert.losses.score_loss import mean_of_valid
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class BinaryCrossEntropyLoss(ScoreLoss):
    """Binary cross-entropy between labels and the sigmoid of the scores.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`, from 0 to 1; minus
            infinity marks padding, which is ignored.
        scores: float `(batch_size, num_documents)`, logits.

    Returns:
        Scalar loss, averaged over the documents of the batch.

    References:
        [Passage Re-ranking with BERT](https://arxiv.org/abs/1901.04085)
    """

    label_range = (0.0, 1.0)

    def call(self, labels: Tensor, scores: Tensor) -> Tensor:
        is_valid = ops.isfinite(labels)
        labels = ops.where(is_valid, labels, 0.0)
        losses = ops.softplus(scores) - labels * scores
        return mean_of_valid(losses, is_valid)
