"""Base class of losses on the scores of ranked documents."""

import keras
import numpy as np
from keras import ops

from keras_bert.typing import Tensor


class ScoreLoss(keras.losses.Loss):
    """Base class of losses on the scores of the documents of each query.

    Args:
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`; minus infinity marks
            padding, which is ignored.
        scores: float `(batch_size, num_documents)`, scores before the
            activation.

    Attributes:
        min_documents: int, minimum number of documents that the longest list
            must have.
        label_range: lowest and highest accepted label.
    """

    min_documents = 1
    label_range = (-np.inf, np.inf)

    def check(self, labels: np.ndarray) -> None:
        """Raise ValueError if the loss is not defined for the labels.

        Args:
            labels: labels of all queries, in the format of `call`.
        """
        name = type(self).__name__
        if labels.shape[1] < self.min_documents:
            raise ValueError(
                f"`loss` {name} compares the documents of a query, so `texts` "
                "must be pairs of a query and a list of documents, and "
                "`labels` a list for each query. Received: one document for "
                "each query."
            )
        low, high = self.label_range
        is_wrong = np.isfinite(labels) & ((labels < low) | (labels > high))
        for index in np.flatnonzero(is_wrong.any(axis=1))[:1]:
            raise ValueError(
                f"`labels` must be from {low:g} to {high:g} for {name}. "
                f"Received: {labels[index][is_wrong[index]][0]:g} at index "
                f"{index}."
            )


def mean_of_valid(values: Tensor, is_valid: Tensor) -> Tensor:
    """Divide values among the lists of a batch.

    Args:
        values: float `(batch_size, ...)`.
        is_valid: bool tensor of the same shape; other values are ignored.

    Returns:
        float `(batch_size,)`. Its mean is the mean of all valid values of the
        batch, or 0 if there are none.
    """
    axes = [*range(1, len(values.shape))]
    is_valid = ops.cast(is_valid, values.dtype)
    share = ops.mean(ops.sum(is_valid, axis=axes))
    least = 1 / ops.cast(ops.shape(values)[0], values.dtype)
    sums = ops.sum(values * is_valid, axis=axes)
    return sums / ops.maximum(share, least)
