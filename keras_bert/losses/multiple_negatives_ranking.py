"""Multiple negatives ranking loss."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import all_dots
from keras_bert.losses.similarity import unit
from keras_bert.typing import Tensor

_LARGE = 1e9


@keras.saving.register_keras_serializable("keras_bert")
class MultipleNegativesRankingLoss(EmbeddingLoss):
    """Cross-entropy loss with in-batch negatives, also known as InfoNCE.

    The model learns to select the positive of each anchor among the positives
    and negatives of all examples in the batch. Known positives are not used as
    negatives: duplicates of the anchor or of the positive, and other positives
    of the same anchor.

    Args:
        scale: factor that converts similarities to logits, the inverse of the
            temperature.
        symmetric: whether to average the loss with the reverse loss, which
            finds each positive's anchor among the anchors of the batch.
        similarity: similarity of two vectors, "cosine" or "dot". For
            `SparseEmbedder` and `LateInteractionEmbedder`, use "dot" with
            `scale=1.0`.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        text_ids: int `(batch_size, num_texts)`; equal texts have equal ids.
        embeddings: float `(batch_size, num_texts, dim)`, or `(batch_size,
            num_texts, num_vectors, dim)`: anchor, positive and any number of
            negatives.

    Returns:
        Scalar loss, averaged over the examples.

    References:
        [Efficient Natural Language Response Suggestion for Smart
        Reply](https://arxiv.org/abs/1705.00652), section 4.4;
        [Jina Embeddings 2](https://arxiv.org/abs/2310.19923) for `symmetric`
    """

    examples = (
        "pairs (anchor, positive), or tuples with negatives after them, "
        "without labels"
    )
    takes_several_vectors = True

    def __init__(
        self,
        scale: float = 20.0,
        symmetric: bool = False,
        similarity: str = "cosine",
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.positive(scale=scale)
        checks.flag(symmetric=symmetric)
        checks.one_of(("cosine", "dot"), similarity=similarity)
        self.scale = scale
        self.symmetric = symmetric
        self.similarity = similarity

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts > 1 and label_shape is None

    def min_batch_size(self, num_texts: int) -> int:
        return 2 if num_texts == 2 else 1

    def call(self, text_ids: Tensor, embeddings: Tensor) -> Tensor:
        is_cosine = self.similarity == "cosine"
        vectors = unit(embeddings) if is_cosine else embeddings  # [B, T, D]
        dots = all_dots(vectors[:, 0], _columns(vectors))  # [B, C]
        losses = self._losses(dots, _false_negatives(text_ids))
        if self.symmetric:
            of_positives = ops.transpose(dots[:, : ops.shape(dots)[0]])
            others = self._losses(of_positives, _false_anchors(text_ids))
            losses = (losses + others) / 2
        return losses

    def _losses(self, dots, is_false):
        """Return the cross-entropy of each query, where query i has label i."""
        logits = self.scale * dots
        logits -= _LARGE * ops.cast(is_false, logits.dtype)
        own = ops.arange(ops.shape(logits)[0])
        return ops.sparse_categorical_crossentropy(
            own, logits, from_logits=True
        )


def _columns(values):
    """Concatenate all positives, then all negatives, along the first axis."""
    columns = [values[:, index] for index in range(1, values.shape[1])]
    return ops.concatenate(columns, axis=0)


def _false_negatives(text_ids):
    """Return the mask of candidates that are other positives of an anchor."""
    anchors, positives = text_ids[:, :1], text_ids[:, 1:2]  # [B, 1]
    candidates = _columns(text_ids)[None]  # [1, C]
    num_others = ops.shape(candidates)[1] - ops.shape(anchors)[0]
    same_anchor = ops.pad(  # [B, C]; False for negatives.
        ops.equal(anchors, ops.transpose(anchors)), [[0, 0], [0, num_others]]
    )
    return _but_own(same_anchor, anchors, positives, candidates)


def _false_anchors(text_ids):
    """Return the mask of other anchors that have the same positive."""
    anchors, positives = text_ids[:, :1], text_ids[:, 1:2]  # [B, 1]
    same_positive = ops.equal(positives, ops.transpose(positives))
    return _but_own(same_positive, anchors, positives, ops.transpose(anchors))


def _but_own(is_right, anchors, positives, candidates):
    """Add duplicate texts to a mask and exclude each query's own candidate."""
    same_text = ops.logical_or(
        ops.equal(anchors, candidates), ops.equal(positives, candidates)
    )
    sizes = ops.shape(is_right)
    own = ops.equal(ops.arange(sizes[0])[:, None], ops.arange(sizes[1])[None])
    is_right = ops.logical_or(is_right, same_text)
    return ops.logical_and(is_right, ops.logical_not(own))
