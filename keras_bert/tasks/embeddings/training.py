"""Training step of text embedders."""

import keras
import numpy as np
from keras import ops

from keras_bert.losses import CosineSimilarityLoss
from keras_bert.losses import EmbeddingLoss
from keras_bert.losses import MultipleNegativesRankingLoss
from keras_bert.tasks.embeddings.cached_gradients import CachedModel
from keras_bert.tasks.fine_tuning.training import Learner


class EmbeddingOutputs:
    """Loss of embeddings for a `Learner`.

    Args:
        embedding_loss: `EmbeddingLoss`.
    """

    def __init__(self, embedding_loss):
        self.embedding_loss = embedding_loss

    def training_metrics(self):
        return []

    def loss(self, label_smoothing):
        """Return the Keras loss for the examples."""
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` is for labels; embeddings have none. "
                f"Received: label_smoothing={label_smoothing}."
            )
        return self.embedding_loss


def checked_loss(loss, examples, dim, batch_size):
    """Return the loss for examples, after checking that it fits them.

    Args:
        loss: `EmbeddingLoss`, or None for the default.
        examples: `EmbeddingExamples`.
        dim: int, size of the embeddings.
        batch_size: int.

    Raises:
        ValueError: the loss does not fit the examples, the embeddings or the
            batch size.
    """
    loss = default_loss(examples) if loss is None else loss
    if not isinstance(loss, EmbeddingLoss):
        raise ValueError(
            "`loss` must be a loss of `keras_bert.losses`, such as "
            f"keras_bert.losses.CoSENTLoss(). Received: loss={loss!r}."
        )
    loss.check(examples.num_texts, examples.labels, dim)
    least = loss.min_batch_size(examples.num_texts)
    if min(batch_size, len(examples)) < least:
        raise ValueError(
            f"{type(loss).__name__} compares the examples of a batch, so "
            f"`batch_size` and the number of examples must be at least {least}."
            f" Received: batch_size={batch_size}, {len(examples)} examples."
        )
    return loss


def default_loss(examples):
    """Return the default loss for `EmbeddingExamples`."""
    for loss in (MultipleNegativesRankingLoss(), CosineSimilarityLoss()):
        if loss.accepts(examples.num_texts, examples.label_shape):
            return loss
    raise ValueError(
        "Tuples of texts without labels and pairs with one number each have "
        "a default loss. For other examples pass `loss`, such as "
        "keras_bert.losses.MarginMSELoss(). Received: examples of "
        f"{examples.num_texts} texts with labels of shape "
        f"{examples.label_shape}."
    )


def validation_loss(loss, examples):
    """Return the training loss if it accepts the examples, or the default."""
    if loss.accepts(examples.num_texts, examples.label_shape):
        return loss
    return default_loss(examples)


def embedding_learner(pretrained, model, examples, loss, mini_batch_size=None):
    """Create the `Learner` for an embedding model.

    Args:
        pretrained: `PretrainedModel` of the encoder.
        model: `keras.Model` that takes single texts and returns `embedding`.
        examples: `EmbeddingExamples`.
        loss: `EmbeddingLoss`.
        mini_batch_size: int, number of examples that are computed together,
            or None for the whole batch.
    """
    model = _over_texts(model, examples.num_texts)
    if mini_batch_size is not None:
        model = CachedModel(model.input, model.output, mini_batch_size)
    return Learner(model, EmbeddingOutputs(loss), pretrained)


def mean_loss(loss, examples, embeddings, batch_size):
    """Compute the mean loss of examples, batch by batch in the given order.

    Args:
        loss: `EmbeddingLoss`.
        examples: `EmbeddingExamples`.
        embeddings: float32 `(num_texts, dim)`, embeddings of the rows.
        batch_size: int.
    """
    count = len(examples)
    parts = [slice(n, n + batch_size) for n in range(0, count, batch_size)]
    losses = [
        loss(examples.targets[part], embeddings[examples.groups[part]])
        for part in parts
    ]
    sizes = [len(examples.groups[part]) for part in parts]
    return float(np.average(np.array(losses, float), weights=sizes))


def _over_texts(model, num_texts):
    """Return a model that takes several texts per example."""
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
