"""CoSENT loss for scored text pairs."""

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
    """Ranking loss on the cosine similarities of scored text pairs.

    The loss is `log(1 + sum(exp(scale * (c_i - c_j))))`, summed over all i and
    j in the batch where example j has a higher score than example i; `c_i` is
    the cosine similarity of the two texts of example i. Only the order of the
    scores matters, so they may have any range.

    Args:
        scale: factor by which cosine similarities are multiplied, the inverse
            of the temperature.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size,)`, similarity labels of the pairs.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        Scalar loss of the batch.

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
