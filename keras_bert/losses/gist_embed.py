"""Ranking loss whose negatives are selected by a second embedder (GIST)."""

import typing

from keras import ops

from keras_bert import checks
from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.losses.similarity import unit
from keras_bert.typing import Tensor

_LARGE = 1e9


class GISTEmbedLoss(EmbeddingLoss):
    """Cross-entropy loss with in-batch negatives that a guide selects.

    The candidates of an anchor are the positives and the negatives of all
    examples in the batch, the other anchors, and, compared with its own
    positive, the other positives. A candidate is ignored if the guide finds it
    more similar than the positive of the anchor, because it is probably not a
    negative.

    Args:
        guide: trained `TextEmbedder`, or another object whose method `embed`
            takes a list of str and returns an array. It embeds each text once,
            before the training.
        temperature: divisor of the cosine similarities.
        margin: a candidate is also ignored if the guide's similarity is higher
            than that of the positive minus the margin.
        relative_margin: the margin as a share of the absolute similarity of the
            positive, instead of `margin`.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        guide_vectors: float `(batch_size, num_texts, guide_dim)`.
        embeddings: float `(batch_size, num_texts, dim)`: anchor, positive and
            any number of negatives.

    Returns:
        Scalar loss, averaged over the examples.

    References:
        [GISTEmbed](https://arxiv.org/abs/2402.16829)
    """

    examples = (
        "pairs (anchor, positive), or tuples with negatives after them, "
        "without labels"
    )

    def __init__(
        self,
        guide: typing.Any,
        temperature: float = 0.01,
        margin: float = 0.0,
        relative_margin: float | None = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.positive(temperature=temperature)
        checks.not_negative(margin=margin)
        if relative_margin is not None:
            checks.not_negative(relative_margin=relative_margin)
        self.guide = guide
        self.temperature = temperature
        self.margin = margin
        self.relative_margin = relative_margin

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return num_texts > 1 and label_shape is None

    def min_batch_size(self, num_texts: int) -> int:
        return 2 if num_texts == 2 else 1

    def call(self, guide_vectors: Tensor, embeddings: Tensor) -> Tensor:
        guides = _columns(ops.cast(guide_vectors, embeddings.dtype))
        anchors, positives, *negatives = _columns(embeddings)
        guide_anchors, guide_positives, *guide_negatives = guides
        own = ops.sum(guide_anchors * guide_positives, axis=1, keepdims=True)
        limits = own - self.margin  # [B, 1]
        if self.relative_margin is not None:
            limits = own - self.relative_margin * ops.abs(own)

        def logits(first, second, guide_first, guide_second, is_right=False):
            guided = guide_first @ ops.transpose(guide_second)
            is_out = ops.logical_and(guided > limits, ops.logical_not(is_right))
            similarities = first @ ops.transpose(second)
            return similarities - _LARGE * ops.cast(is_out, similarities.dtype)

        indices = ops.arange(ops.shape(anchors)[0])
        is_own = ops.equal(indices[:, None], indices[None])
        blocks = [
            logits(anchors, positives, guide_anchors, guide_positives, is_own),
            logits(anchors, anchors, guide_anchors, guide_anchors),
            logits(positives, positives, guide_positives, guide_positives),
        ]
        blocks += [
            logits(anchors, others, guide_anchors, guide_others)
            for others, guide_others in zip(
                negatives, guide_negatives, strict=True
            )
        ]
        return ops.sparse_categorical_crossentropy(
            indices,
            ops.concatenate(blocks, axis=1) / self.temperature,
            from_logits=True,
        )


def _columns(embeddings):
    """Return the unit vectors of the first, the second ... texts as a list."""
    vectors = unit(embeddings)
    return [vectors[:, index] for index in range(embeddings.shape[1])]
