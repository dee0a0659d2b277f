"""Loss of pairs in the wrong order of similarity."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import pair_cosines
from keras_bert.typing import Tensor

_LARGE = 1e9


@keras.saving.register_keras_serializable("keras_bert")
class CoSENTLoss(EmbeddingLoss):
    """Loss of pairs whose cosines are not in the order of their scores.

    The loss is `log(1 + sum(exp(scale * (c - d))))` over all pairs of examples
    of the batch, where the example with cosine `d` has the higher score. Only
    the order of the scores matters, so they may have any range.

    Args:
        scale: factor of the cosines; the inverse of the temperature.
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size,)`.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        Scalar, the loss of the batch.

    References:
        [CoSENT](https://penghao-bdsc.github.io/papers/CoSENT_TASLP2024.pdf)
    """

    examples = "pairs with one number each"

    def __init__(self, scale: float = 20.0, **kwargs: typing.Any):
        super().__init__(**kwargs)
        checks.positive(scale=scale)
        self.scale = scale

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts == 2 and label_shape == ()

    def min_batch_size(self, num_texts: int) -> int:
        return 2

    def call(self, scores: Tensor, embeddings: Tensor) -> Tensor:
        values = self.scale * self.similarities(embeddings)
        differences = values[:, None] - values[None]  # [B, B]
        is_lower = scores[:, None] < scores[None]
        differences = ops.where(is_lower, differences, -_LARGE)
        terms = ops.pad(ops.reshape(differences, (-1,)), [[0, 1]])
        return ops.logsumexp(terms)

    def similarities(self, embeddings: Tensor) -> Tensor:
        """Return the similarities `(batch_size,)` of the pairs."""
        return pair_cosines(embeddings)
