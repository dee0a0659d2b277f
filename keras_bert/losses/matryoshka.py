"""Matryoshka loss, which trains embeddings that can be truncated."""

import typing

import keras
import numpy as np

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import unit
from keras_bert.messages import brief
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class MatryoshkaLoss(EmbeddingLoss):
    """Weighted sum of a loss over several truncated embedding sizes.

    It trains the first components of each embedding so that they can be used as
    a smaller embedding. The truncated embeddings are scaled to length 1.

    Args:
        loss: any loss of `keras_bert.losses`.
        dims: sizes of the truncated embeddings, such as [768, 256, 64].
        weights: loss weight of each size. Defaults to 1 for all sizes.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        targets: targets for `loss`.
        embeddings: float `(batch_size, num_texts, dim)`.

    Returns:
        Scalar loss, the weighted sum over the sizes.

    Raises:
        ValueError: a size or weight is invalid.

    References:
        [Matryoshka Representation
        Learning](https://arxiv.org/abs/2205.13147), section 3
    """

    def __init__(
        self,
        loss: EmbeddingLoss,
        dims: typing.Sequence[int],
        weights: typing.Sequence[float] | None = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        self.loss = keras.losses.get(loss)
        if not isinstance(self.loss, EmbeddingLoss):
            raise ValueError(
                "`loss` must be a loss of `keras_bert.losses`. "
                f"Received: loss={brief(loss)}."
            )
        is_list = isinstance(dims, list | tuple) and len(dims) > 0
        if not is_list or len(weights or dims) != len(dims):
            raise ValueError(
                "`dims` must be a list of sizes, and `weights` a list with a "
                "weight for each size, or None. Received: "
                f"dims={brief(dims)}, weights={brief(weights)}."
            )
        self.dims, self.weights = [*dims], [*(weights or [1.0] * len(dims))]
        for dim, weight in zip(self.dims, self.weights, strict=True):
            checks.at_least(1, dims=dim)
            checks.positive(weights=weight)

    @property
    def examples(self) -> str:
        return self.loss.examples

    @property
    def variables(self) -> tuple[keras.Variable, ...]:
        return self.loss.variables

    def callbacks(self) -> list[keras.callbacks.Callback]:
        return self.loss.callbacks()

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return self.loss.accepts(num_texts, label_shape)

    def min_batch_size(self, num_texts: int) -> int:
        return self.loss.min_batch_size(num_texts)

    def check(
        self, num_texts: int, labels: np.ndarray | None, dim: int
    ) -> None:
        self.loss.check(num_texts, labels, dim)
        if max(self.dims) > dim:
            raise ValueError(
                f"`dims` must be at most the size of the embeddings, {dim}. "
                f"Received: dims={self.dims}."
            )

    def call(self, targets: Tensor, embeddings: Tensor) -> Tensor:
        return sum(
            weight * self.loss.call(targets, unit(embeddings[..., :dim]))
            for dim, weight in zip(self.dims, self.weights, strict=True)
        )
