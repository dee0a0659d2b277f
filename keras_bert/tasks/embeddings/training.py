"""Examples, losses and models for training text embedders."""

import keras
import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.losses import EmbeddingLoss
from keras_bert.messages import brief
from keras_bert.tasks.embeddings.cached_gradients import cached_model
from keras_bert.tasks.embeddings.examples import embedding_examples
from keras_bert.tasks.embeddings.examples import with_labels
from keras_bert.tasks.embeddings.mixture import Mixture
from keras_bert.tasks.embeddings.mixture import MixtureLoss
from keras_bert.tasks.embeddings.multi_vectors import MultiVectors
from keras_bert.tasks.embeddings.scores import as_array
from keras_bert.tasks.training.fine_tune import Learner


class EmbeddingOutputs:
    """Outputs of a `Learner` that is trained with an `EmbeddingLoss`.

    Args:
        embedding_loss: `EmbeddingLoss`.
        metrics: list of Keras metrics of a training batch.
    """

    def __init__(self, embedding_loss, metrics=()):
        self.embedding_loss = embedding_loss
        self._metrics = metrics

    def training_metrics(self):
        return [*self._metrics]

    def loss(self, label_smoothing):
        """Return the Keras loss of the output."""
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` must be 0, because embeddings have no "
                f"class labels. Received: label_smoothing={label_smoothing}."
            )
        return self.embedding_loss


def examples_and_loss(
    loss, data, embedder, batch_size, no_duplicates, sampling
):
    """Return the training examples and their loss.

    Args:
        loss: `EmbeddingLoss`, None for the default loss, or dict mapping
            dataset names to these.
        data: tuple of the arguments `texts` and `labels` of `fit`.
        embedder: `Embedder`.
        batch_size: int.
        no_duplicates: bool, whether to form batches in which no text is in two
            examples.
        sampling: str, argument of `Mixture`.

    Raises:
        ValueError: an example is malformed, or the loss does not support the
            examples, the embeddings or the batch size.
    """
    if isinstance(loss, dict):
        options = embedder, batch_size, no_duplicates, sampling
        return _mixture(loss, data, *options)
    if loss is not None:
        _check_class(loss, embedder)
    guide = getattr(loss, "guide", None)
    examples = embedding_examples(
        embedder.preprocess, *data, guide, embedder.query_preprocess
    )
    examples.no_duplicates = no_duplicates
    if loss is None:
        loss = default_loss(examples, embedder._default_losses())
    return examples, _checked_loss(loss, examples, embedder, batch_size)


def _mixture(losses, data, *options):
    """Return the examples and the loss for training on several datasets."""
    datasets, labels = data
    is_dict = isinstance(datasets, dict) and labels is None
    if not is_dict or not losses or {*datasets} != {*losses}:
        names = [*datasets] if is_dict else "a list or labels"
        raise ValueError(
            "If `loss` is a dict, `texts` must be a dict of datasets with the "
            "same keys, and `labels` None; a dataset with labels is a tuple "
            f"(texts, labels). Received: loss={brief(losses)}, texts: {names}."
        )
    pairs = []
    for name, loss in losses.items():
        try:
            one = with_labels(datasets[name])
            pairs.append(examples_and_loss(loss, one, *options))
        except ValueError as error:
            raise ValueError(f"Dataset {brief(name)}: {error}") from None
    examples, losses = zip(*pairs, strict=True)
    return Mixture(examples, options[-1]), MixtureLoss(losses, examples)


def _check_class(loss, embedder):
    if not isinstance(loss, EmbeddingLoss):
        raise ValueError(
            "`loss` must be a loss of `keras_bert.losses`, such as "
            f"keras_bert.losses.CoSENTLoss(). Received: loss={brief(loss)}."
        )
    if embedder.has_several_vectors and not loss.takes_several_vectors:
        raise ValueError(
            "`loss` must support texts with several vectors, as "
            "MultipleNegativesRankingLoss does. Received: "
            f"loss={type(loss).__name__}."
        )


def _checked_loss(loss, examples, embedder, batch_size):
    """Check and return a loss."""
    loss.check(examples.num_texts, examples.labels, embedder.dim)
    least = loss.min_batch_size(examples.num_texts)
    if min(batch_size, len(examples)) < least:
        raise ValueError(
            f"{type(loss).__name__} compares the examples of a batch, so "
            f"`batch_size` and the number of examples must be at least {least}."
            f" Received: batch_size={batch_size}, {len(examples)} examples."
        )
    shared = _shared(examples) if least > 1 else None
    if shared is not None:
        raise ValueError(
            f"{type(loss).__name__} compares the examples of a batch, so they "
            f"must not share {shared}. Received: {len(examples)} examples "
            f"with {shared}. Pass other examples, or another loss."
        )
    return loss


def _shared(examples):
    """Describe what all examples share, so that their loss is 0, or None."""
    if examples.labels is not None:
        return "one label" if np.ptp(examples.labels) == 0 else None
    for name, ids in zip(
        ("anchor", "positive"), examples.groups.T, strict=True
    ):
        if np.ptp(ids) == 0:
            return f"one {name}"
    return None


def default_loss(examples, losses):
    """Return the first loss that accepts `EmbeddingExamples`."""
    for loss in losses:
        if loss.accepts(examples.num_texts, examples.label_shape):
            return loss
    raise ValueError(
        "`loss` has no default for these examples. Pass a loss, such as "
        "keras_bert.losses.MarginMSELoss(). Received: examples of "
        f"{examples.num_texts} texts with labels of shape "
        f"{examples.label_shape}."
    )


def validation_loss(loss, examples, default_losses):
    """Return the training loss if it accepts the examples, or a default.

    None if no default accepts them.
    """
    for one in (loss, *default_losses):
        if one.accepts(examples.num_texts, examples.label_shape):
            return one
    return None


def embedding_learner(embedder, examples, loss, mini_batch_size=None):
    """Create the `Learner` for an embedder.

    Args:
        embedder: `Embedder`.
        examples: `EmbeddingExamples` or `Mixture`.
        loss: `EmbeddingLoss`.
        mini_batch_size: int, number of examples that are computed together.
            If None, the whole batch is computed together.
    """
    is_single = examples.num_texts == 1
    query_model = None if is_single else embedder.query_model
    trained = _over_texts(
        query_model or embedder.model,
        embedder.model,
        examples.num_texts,
        loss.variables,
    )
    if mini_batch_size is not None:
        trained = cached_model(trained, mini_batch_size)
    return Learner(
        trained,
        EmbeddingOutputs(loss, embedder._training_metrics()),
        embedder.pretrained,
        own_model=embedder.model,
        callbacks=loss.callbacks(),
    )


def mean_loss(loss, examples, sides, batch_size):
    """Compute the mean loss of examples, batch by batch in the given order.

    Args:
        loss: `EmbeddingLoss`.
        examples: `EmbeddingExamples`.
        sides: tuple of the embeddings of the rows as queries and as documents,
            arrays `(num_texts, dim)`, sparse arrays or `MultiVectors`.
        batch_size: int.
    """
    count = len(examples)
    batches = [slice(n, n + batch_size) for n in range(0, count, batch_size)]
    losses = [
        loss(examples.targets[batch], _of(sides, examples.groups[batch]))
        for batch in batches
    ]
    sizes = [len(examples.groups[batch]) for batch in batches]
    return float(np.average(np.array(losses, float), weights=sizes))


def _of(sides, groups):
    """Return the embeddings of groups of texts as an array."""
    queries, documents = sides
    parts = [queries[groups[:, 0]], documents[groups[:, 1:].ravel()]]
    if isinstance(queries, MultiVectors):
        lengths = [*parts[0].lengths, *parts[1].lengths]
        values = np.concatenate([part.values for part in parts])
        vectors = MultiVectors(values, lengths).padded()
    else:
        vectors = np.concatenate([*map(as_array, parts)])
    first, others = vectors[: len(groups)], vectors[len(groups) :]
    others = others.reshape(*groups[:, 1:].shape, *vectors.shape[1:])
    return np.concatenate([first[:, None], others], axis=1)


def _over_texts(query_model, model, num_texts, variables):
    """Convert a model to one that takes several texts per example.

    Args:
        query_model, model: `keras.Model` that takes single texts, for the first
            and for the other texts of an example.
        num_texts: int, or None if it differs between batches.
        variables: variables of the loss, which become variables of the model,
            because JAX reads only these.
    """
    inputs = {
        name: keras.Input((num_texts, None), dtype="int32", name=name)
        for name in model.input
    }
    embeddings = [
        one(TextRows(texts)(inputs))["embedding"]
        for one, texts in (
            (query_model, slice(0, 1)),
            (model, slice(1, None)),
        )[:num_texts]
    ]
    ids = next(iter(inputs.values()))
    groups = _AsGroups(num_texts, variables, dtype=embeddings[0].dtype)
    vectors = groups(embeddings, ids)
    return keras.Model(inputs, {"embedding": vectors})


class TextRows(keras.layers.Layer):
    """Layer that selects texts of all examples and trims their padding.

    It drops the positions that are padding in all selected texts. Anchors are
    often much shorter than the other texts.

    Args:
        texts: slice of the text axis.

    Call arguments:
        inputs: dict of int32 `(batch_size, num_texts, width)`, with
            `input_mask`.

    Returns:
        A dict of int32 tensors `(num_rows, new_width)`, with a row for each
        selected text.
    """

    def __init__(self, texts):
        super().__init__()
        self._texts = texts

    def call(self, inputs):
        inputs = {
            name: ops.reshape(x[:, self._texts], (-1, ops.shape(x)[-1]))
            for name, x in inputs.items()
        }
        if keras.backend.backend() == "jax":  # Shapes must be static.
            return inputs
        mask = inputs[features.INPUT_MASK.name]
        is_used = ops.any(mask > 0, axis=0)
        # Models need a column, also for batches of single texts.
        is_first = ops.arange(ops.shape(mask)[1]) == 0
        (columns,) = ops.nonzero(ops.logical_or(is_used, is_first))
        return {
            name: ops.take(x, columns, axis=1) for name, x in inputs.items()
        }

    def compute_output_spec(self, inputs):
        return {
            name: keras.KerasTensor((None, x.shape[-1]), x.dtype)
            for name, x in inputs.items()
        }


class _AsGroups(keras.layers.Layer):
    """Layer that restores the example axis and the text axis."""

    def __init__(self, num_texts, variables, **kwargs):
        super().__init__(**kwargs)
        self._num_texts = num_texts
        self._of_loss = [*variables]

    def call(self, embeddings, ids):
        num_examples, num_texts, width = ops.shape(ids)
        counts = 1, (self._num_texts or num_texts) - 1
        if len(embeddings[0].shape) == 3:
            embeddings = _padded(embeddings, width)
        vectors = [
            ops.reshape(x, (num_examples, count, *ops.shape(x)[1:]))
            for x, count in zip(embeddings, counts, strict=False)
        ]
        return ops.concatenate(vectors, axis=1)

    def compute_output_spec(self, embeddings, ids):
        first = embeddings[0]
        widths = [None] * (len(first.shape) - 2)
        shape = (None, self._num_texts, *widths, first.shape[-1])
        return keras.KerasTensor(shape, first.dtype)


def _padded(embeddings, width):
    """Pad token vectors to the width of the inputs, or of expanded queries.

    The mini-batches of a batch then have the same width.
    """
    widths = width, ops.shape(embeddings[0])[1]
    is_static = all(isinstance(x, int) for x in widths)
    width = max(widths) if is_static else ops.maximum(*widths)
    padded = []
    for x in embeddings:
        count, length, dim = ops.shape(x)
        zeros = ops.zeros((count, width - length, dim), x.dtype)
        padded.append(ops.concatenate([x, zeros], axis=1))
    return padded
