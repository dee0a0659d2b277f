"""Base class for losses on relevance scores."""

import keras
import numpy as np
from keras import ops

from keras_bert.typing import Tensor


class ScoreLoss(keras.losses.Loss):
    """Base class for losses on the relevance scores of each query's documents.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`; minus infinity marks
            padding, which is ignored.
        scores: float `(batch_size, num_documents)`, logits.

    Attributes:
        min_documents: int. At least one query must have this many documents.
        label_range: tuple of the lowest and the highest accepted label.
    """

    min_documents = 1
    label_range = (-np.inf, np.inf)

    def check(self, labels: np.ndarray) -> None:
        """Raise ValueError if the loss does not support the labels.

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
    """Return one loss per list, so that their mean is the mean of valid values.

    Args:
        values: float `(batch_size, ...)`.
        is_valid: bool tensor of the same shape. Values are ignored where it is
            False.

    Returns:
        float `(batch_size,)`. Its mean is the mean of all valid values in the
        batch, or 0 if there are none.
    """
    axes = [*range(1, len(values.shape))]
    is_valid = ops.cast(is_valid, values.dtype)
    share = ops.mean(ops.sum(is_valid, axis=axes))
    least = 1 / ops.cast(ops.shape(values)[0], values.dtype)
    sums = ops.sum(values * is_valid, axis=axes)
    return sums / ops.maximum(share, least)
