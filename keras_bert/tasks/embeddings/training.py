"""An embedder as `fine_tune` takes it, and its losses."""

import dataclasses

import keras
from keras import ops

from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.embeddings.examples import are_scored
from keras_bert.tasks.embeddings.model import unit

_LARGE = 1e9


@dataclasses.dataclass(frozen=True)
class EmbedderTraining:
    """The same weights over all texts of an example, to be trained.

    Args:
        pretrained: `PretrainedModel` of the encoder.
        model: `keras.Model` from int32 `(batch_size, num_texts, seq_length)`
            tensors to `embedding`, `(batch_size, num_texts, dim)`.
        is_scored: bool, whether the examples are scored pairs.
        main_metric: str, which metric on the validation data tells the best
            epoch.
    """

    pretrained: PretrainedModel
    model: keras.Model
    is_scored: bool
    main_metric: str

    @classmethod
    def of(cls, pretrained, model, examples, validation_examples):
        """Prepares a model of single texts for `embedding_examples`."""
        judged = validation_examples or examples
        return cls(
            pretrained,
            _over_texts(model, examples.groups.shape[1]),
            is_scored=are_scored(examples),
            main_metric=(
                "spearman" if are_scored(judged) else "mean_reciprocal_rank"
            ),
        )

    def loss(self, label_smoothing):
        """Chooses the Keras loss of targets and embeddings."""
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` is for labels; embeddings have none. "
                f"Received: label_smoothing={label_smoothing}."
            )
        return CosineLoss() if self.is_scored else RankingLoss()


def _over_texts(model, num_texts):
    """Runs the model, its weights shared, over several texts of an example."""
    inputs = {
        name: keras.Input((num_texts, None), dtype="int32", name=name)
        for name in model.input
    }
    rows = {
        name: ops.concatenate([ids[:, n] for n in range(num_texts)], axis=0)
        for name, ids in inputs.items()
    }  # [T x B, S]
    vectors = model(rows)["embedding"]
    vectors = ops.reshape(vectors, (num_texts, -1, vectors.shape[-1]))
    return keras.Model(inputs, {"embedding": ops.swapaxes(vectors, 0, 1)})


class RankingLoss(keras.losses.Loss):
    """Cross-entropy of finding each anchor's positive in the whole batch.

    The candidates are the positives of all examples and, of triplets, the
    negatives of all. One that is not wrong is left out: the anchor's text or
    the positive's once more, or another positive of the same anchor.

    Args:
        scale: float, by which cosines are multiplied to become logits.

    Call arguments:
        text_ids: `(batch_size, num_texts)`; equal texts have equal numbers.
        embeddings: float `(batch_size, num_texts, dim)`: anchor, positive
            and, of triplets, negative.

    Returns:
        A float, the mean over the examples.

    References:
        [Efficient Natural Language Response Suggestion for Smart
        Reply](https://arxiv.org/abs/1705.00652), section 4.4
    """

    def __init__(self, scale=20.0, name="ranking_loss", **kwargs):
        super().__init__(name=name, **kwargs)
        self.scale = scale

    def call(self, text_ids, embeddings):
        vectors = unit(embeddings)  # [B, T, D]
        candidates = _candidates(vectors)  # [C, D]
        logits = self.scale * (vectors[:, 0] @ ops.transpose(candidates))
        logits -= _LARGE * ops.cast(_not_wrong(text_ids), logits.dtype)
        own = ops.arange(ops.shape(logits)[0])
        return ops.sparse_categorical_crossentropy(
            own, logits, from_logits=True
        )


class CosineLoss(keras.losses.Loss):
    """The squared difference of cosines and the scores of pairs.

    Call arguments:
        scores: float `(batch_size,)`.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        A float, the mean over the pairs.

    References:
        [Sentence-BERT](https://arxiv.org/abs/1908.10084), section 3
    """

    def __init__(self, name="cosine_loss", **kwargs):
        super().__init__(name=name, **kwargs)

    def call(self, scores, embeddings):
        vectors = unit(embeddings)
        cosines = ops.sum(vectors[:, 0] * vectors[:, 1], axis=-1)
        return ops.square(cosines - scores)


def _candidates(values):
    """All positives, then all negatives, of `(batch_size, num_texts, ...)`."""
    columns = [values[:, place] for place in range(1, values.shape[1])]
    return ops.concatenate(columns, axis=0)


def _not_wrong(text_ids):
    """Marks candidates that are not the own positive, but none to push away."""
    anchors, positives = text_ids[:, :1], text_ids[:, 1:2]  # [B, 1]
    candidates = _candidates(text_ids)[None]  # [1, C]
    batch_size, num_candidates = ops.shape(anchors)[0], ops.shape(candidates)[1]
    same_anchor = ops.pad(  # [B, C], no negative being of an anchor.
        ops.equal(anchors, ops.transpose(anchors)),
        [[0, 0], [0, num_candidates - batch_size]],
    )
    same_text = ops.logical_or(
        ops.equal(anchors, candidates), ops.equal(positives, candidates)
    )
    own = ops.equal(
        ops.arange(batch_size)[:, None], ops.arange(num_candidates)[None]
    )
    is_right = ops.logical_or(same_anchor, same_text)
    return ops.logical_and(is_right, ops.logical_not(own))
