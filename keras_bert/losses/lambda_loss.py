"""LambdaLoss, a pairwise ranking loss weighted by the effect on nDCG."""

import math
import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.losses.score_loss import ScoreLoss
from keras_bert.losses.score_loss import mean_of_valid
from keras_bert.typing import Tensor

_LARGEST_DIFFERENCE = 1e8
_LEAST_GAIN = 1e-10


@keras.saving.register_keras_serializable("keras_bert")
class LambdaLoss(ScoreLoss):
    """Pairwise logistic loss with the weights of NDCG-Loss2++.

    The loss of two documents with different labels is `-log2(sigmoid(s_i -
    s_j))`, where `s_i` is the score of the document with the higher label. It
    is weighted by the effect of their order on nDCG at the current ranks.

    Args:
        k: number of top ranks that nDCG considers. A pair is ignored if neither
            document has one of these ranks. None means all ranks.
        mu: weight of the NDCG-Loss2 terms; 0 for LambdaRank.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        labels: float `(batch_size, num_documents)`, 0 or higher; minus
            infinity marks padding, which is ignored. The gain of a document
            is `2**label - 1`.
        scores: float `(batch_size, num_documents)`.

    Returns:
        Scalar loss, averaged over the pairs of the batch.

    References:
        [The LambdaLoss Framework for Ranking Metric
        Optimization](https://marc.najork.org/papers/cikm2018.pdf)
    """

    min_documents = 2
    # Gains up to 2**31 can be summed in float32 without overflow.
    label_range = (0.0, 31.0)

    def __init__(
        self, k: int | None = None, mu: float = 10.0, **kwargs: typing.Any
    ):
        super().__init__(**kwargs)
        if k is not None:
            checks.at_least(1, k=k)
        checks.not_negative(mu=mu)
        self.k = k
        self.mu = mu

    def get_config(self) -> dict[str, typing.Any]:
        return {**super().get_config(), "k": self.k, "mu": self.mu}

    def call(self, labels: Tensor, scores: Tensor) -> Tensor:
        is_valid = ops.isfinite(labels)
        order = ops.argsort(ops.where(is_valid, -scores, float("inf")))
        ranks = 1 + ops.argsort(order)
        is_pair = _rows(labels) > _columns(labels)
        is_pair = ops.logical_and(is_pair, _columns(is_valid))
        if self.k is not None:
            best = ops.minimum(_rows(ranks), _columns(ranks))
            is_pair = ops.logical_and(is_pair, best <= self.k)
        limit = _LARGEST_DIFFERENCE
        differences = ops.clip(_rows(scores) - _columns(scores), -limit, limit)
        losses = ops.softplus(-differences) / math.log(2)  # [B, D, D]
        return mean_of_valid(self._weights(labels, ranks) * losses, is_pair)

    def _weights(self, labels, ranks):
        """Return the weight of each pair of documents, `[B, D, D]`."""
        gains = ops.power(2.0, ops.maximum(labels, 0.0)) - 1
        ideal = ops.flip(ops.sort(gains), axis=-1)
        shares = _discounts(ops.cumsum(ops.ones_like(labels), axis=-1))
        ideal = ops.sum((ideal * shares)[:, : self.k], axis=-1, keepdims=True)
        gains = gains / ops.maximum(ideal, _LEAST_GAIN)
        distances = ops.absolute(_rows(ranks) - _columns(ranks))
        ndcg_loss2 = _discounts(distances) - _discounts(distances + 1)
        shares = _discounts(ranks)
        lambda_rank = ops.absolute(_rows(shares) - _columns(shares))
        effects = ops.absolute(_rows(gains) - _columns(gains))
        return effects * (self.mu * ndcg_loss2 + lambda_rank)


def _rows(values):
    return ops.expand_dims(values, 2)


def _columns(values):
    return ops.expand_dims(values, 1)


def _discounts(ranks):
    """Return the nDCG discount of each rank, where ranks start at 1."""
    ranks = ops.cast(ops.maximum(ranks, 1), "float32")
    return 1 / ops.log2(1 + ranks)
