"""SPLADE loss, which trains sparse embeddings."""

import typing

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.messages import brief
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class SpladeLoss(EmbeddingLoss):
    """Sum of a loss and of FLOPS regularizers, which make embeddings sparse.

    A FLOPS regularizer is the sum of the squared mean weights of all
    dimensions in a batch. It estimates the number of multiplications of a
    search.

    Args:
        loss: any loss of `keras_bert.losses`, such as `MarginMSELoss()` or
            `MultipleNegativesRankingLoss(scale=1.0, similarity="dot")`.
        document_weight: weight of the regularizer of the documents, which are
            all texts of an example except the first. A larger weight results in
            fewer active dimensions.
        query_weight: weight of the regularizer of the queries, the first text
            of each example. None for no regularizer.
        document_threshold: number of active dimensions up to which a document
            is not regularized. None to regularize all documents.
        query_threshold: the same for queries.
        warmup: share of the training steps in which the regularizers grow
            quadratically from 0 to their weights. 0 to start with the full
            weights.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        targets: targets for `loss`.
        embeddings: float `(batch_size, num_texts, dim)`, not negative: query,
            positive and negatives of each example.

    Returns:
        Scalar loss.

    Example:

    >>> loss = keras_bert.losses.MultipleNegativesRankingLoss(
    ...     scale=1.0, similarity="dot"
    ... )
    >>> loss = keras_bert.losses.SpladeLoss(loss, document_weight=3e-5)

    References:
        [SPLADE v2](https://arxiv.org/abs/2109.10086), section 2;
        [Minimizing FLOPs](https://arxiv.org/abs/2004.05665), section 4;
        [Exploring l0 Sparsification](https://arxiv.org/abs/2504.14839) for the
        thresholds
    """

    def __init__(
        self,
        loss: EmbeddingLoss,
        document_weight: float,
        query_weight: float | None = None,
        document_threshold: int | None = None,
        query_threshold: int | None = None,
        warmup: float = 1 / 3,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        self.loss = keras.losses.get(loss)
        if not isinstance(self.loss, EmbeddingLoss):
            raise ValueError(
                "`loss` must be a loss of `keras_bert.losses`. "
                f"Received: loss={brief(loss)}."
            )
        checks.not_negative(document_weight=document_weight)
        if query_weight is not None:
            checks.not_negative(query_weight=query_weight)
        for name, threshold in (
            ("document_threshold", document_threshold),
            ("query_threshold", query_threshold),
        ):
            if threshold is not None:
                checks.at_least(0, **{name: threshold})
        checks.probability(warmup=warmup)
        self.document_weight = document_weight
        self.query_weight = query_weight
        self.document_threshold = document_threshold
        self.query_threshold = query_threshold
        self.warmup = warmup
        # Factor of both weights.
        self.strength = keras.Variable(1.0, trainable=False, name="strength")
        self.variables = (self.strength,)

    @property
    def examples(self) -> str:
        return self.loss.examples

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts > 1 and self.loss.accepts(num_texts, label_shape)

    def min_batch_size(self, num_texts: int) -> int:
        return self.loss.min_batch_size(num_texts)

    def check(
        self, num_texts: int, labels: np.ndarray | None, dim: int
    ) -> None:
        self.loss.check(num_texts, labels, dim)

    def callbacks(self) -> list[keras.callbacks.Callback]:
        return [_Warmup(self.strength, self.warmup)] if self.warmup else []

    def call(self, targets: Tensor, embeddings: Tensor) -> Tensor:
        documents = ops.reshape(
            embeddings[:, 1:], (-1, embeddings.shape[-1])
        )  # [B * (T - 1), D]
        flops = self.document_weight * _flops(
            documents, self.document_threshold
        )
        if self.query_weight is not None:
            queries = embeddings[:, 0]
            flops += self.query_weight * _flops(queries, self.query_threshold)
        losses = self.loss.call(targets, embeddings)
        return losses + ops.cast(self.strength * flops, losses.dtype)


def _flops(embeddings, threshold):
    """Return the sum of the squared mean weights of all dimensions.

    Args:
        embeddings: float `(num_texts, dim)`.
        threshold: int, number of active dimensions up to which a text counts
            as 0; None to use all texts.
    """
    if threshold is not None:
        counts = ops.sum(ops.cast(embeddings != 0, "int32"), axis=1)
        is_used = ops.cast(counts > threshold, embeddings.dtype)
        embeddings = embeddings * is_used[:, None]
    return ops.sum(ops.square(ops.mean(embeddings, axis=0)))


class _Warmup(keras.callbacks.Callback):
    """Callback that increases a variable quadratically from 0 to 1.

    Args:
        variable: float32 `keras.Variable`, a variable of the trained model.
        share: float, share of the training steps until it is 1.
    """

    def __init__(self, variable, share):
        super().__init__()
        self._variable, self._share = variable, share
        self._first_step = 0

    def on_epoch_begin(self, epoch, logs=None):
        self._first_step = epoch * self.params["steps"]

    def on_train_batch_begin(self, batch, logs=None):
        num_steps = self.params["epochs"] * self.params["steps"]
        step = self._first_step + batch
        ratio = min(step / max(int(self._share * num_steps), 1), 1.0)
        if keras.backend.backend() == "jax":  # The step returns the variables.
            self.model.jax_state_sync()
        self._variable.assign(ratio**2)

    def on_train_end(self, logs=None):
        self._variable.assign(1.0)
