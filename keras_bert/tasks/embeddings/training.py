"""Training examples and losses for text embeddings."""

import itertools

import keras
import numpy as np
from keras import ops

from keras_bert.tasks.embeddings.model import unit
from keras_bert.tasks.fine_tuning.columns import LABELS_INCLUDED
from keras_bert.tasks.fine_tuning.columns import PAIR_KEYS
from keras_bert.tasks.fine_tuning.columns import as_rows
from keras_bert.tasks.fine_tuning.columns import encoded_texts
from keras_bert.tasks.fine_tuning.columns import named_columns
from keras_bert.tasks.fine_tuning.columns import split_examples
from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import tokenized_rows
from keras_bert.tasks.fine_tuning.labels import numbers
from keras_bert.tasks.fine_tuning.training import Learner

_LARGE = 1e9
# Column names, as in sentence-transformers datasets.
_KEYS = (("anchor", "positive"), ("anchor", "positive", "negative"))
_KEYS += PAIR_KEYS


def embedding_examples(preprocess, texts, labels=None):
    """Check and tokenize pairs, triplets or scored pairs.

    Args:
        preprocess: `Preprocessor`.
        texts: list, array or table of pairs (anchor, positive) or of triplets
            (anchor, positive, negative); or a `tf.data.Dataset` of such
            tuples, or of ((text, text), score) tuples.
        labels: list of float, similarity of each pair from -1 to 1; None for
            (anchor, positive) pairs.

    Returns:
        `Encoded`. The rows are the distinct texts; `groups` are int
        `(num_examples, num_texts)` row indices; the targets are the scores,
        float32 `(num_examples,)`, or the groups if there are no scores.

    Raises:
        ValueError: an example is malformed. The message names its index.
    """
    texts, labels = _split(texts, labels)
    columns = encoded_texts(texts, _KEYS if labels is None else PAIR_KEYS)
    scores = None if labels is None else _scores(labels)
    places = {}
    for text in itertools.chain(*zip(*columns, strict=True)):
        places.setdefault(text, len(places))
    ids = [[places[text] for text in column] for column in columns]
    rows = tokenized_rows(preprocess, [*places])
    groups = np.array(ids).T
    return Encoded(
        rows,
        groups=groups,
        targets=groups if scores is None else scores,
        output="embedding",
    )


def are_scored(examples):
    """Return True if the result of `embedding_examples` has scores."""
    return examples.targets.ndim == 1


def _split(texts, labels):
    spec = getattr(texts, "element_spec", None)
    is_scored = isinstance(spec, tuple) and not hasattr(spec[0], "shape")
    is_scored = is_scored or "label" in (named_columns(texts) or ())
    if is_scored or labels is not None:
        labels = LABELS_INCLUDED if labels is None else labels
        return split_examples(texts, labels, _KEYS)
    texts = as_rows(texts, _KEYS)
    if not texts:
        raise ValueError("`texts` must not be empty. Received: texts=[].")
    return texts, None


def _scores(labels):
    scores = numbers(labels)[:, 0]
    for index in np.flatnonzero(np.abs(scores) > 1)[:1]:
        raise ValueError(
            "`labels` must be similarities from -1 to 1, like a cosine; "
            "divide other scores by their maximum. Received: "
            f"{labels[index]!r} at index {index}."
        )
    return scores


class EmbeddingLoss:
    """Embedding loss for a `Learner`.

    Args:
        is_scored: bool, whether the examples are scored pairs.
    """

    def __init__(self, is_scored):
        self.is_scored = is_scored

    def training_metrics(self):
        return []

    def loss(self, label_smoothing):
        """Return the Keras loss for the examples."""
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` is for labels; embeddings have none. "
                f"Received: label_smoothing={label_smoothing}."
            )
        return CosineLoss() if self.is_scored else RankingLoss()


def embedding_learner(pretrained, model, examples):
    """Create the `Learner` for an embedding model.

    Args:
        pretrained: `PretrainedModel` of the encoder.
        model: `keras.Model` that takes single texts and returns `embedding`.
        examples: as returned by `embedding_examples`.
    """
    model = _over_texts(model, examples.groups.shape[1])
    return Learner(model, EmbeddingLoss(are_scored(examples)), pretrained)


def mean_loss(examples, embeddings, batch_size):
    """Compute the mean loss of examples, batch by batch in the given order.

    Args:
        examples: `Encoded`, as returned by `embedding_examples`.
        embeddings: float32 `(num_texts, dim)`, embeddings of the rows.
        batch_size: int.
    """
    loss = EmbeddingLoss(are_scored(examples)).loss(0.0)
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


class RankingLoss(keras.losses.Loss):
    """Multiple negatives ranking loss with in-batch negatives.

    The candidates are the positives of all examples and the negatives of all
    triplets. False negatives are masked: duplicates of the anchor or of the
    positive, and other positives of the same anchor.

    Args:
        scale: float, factor that converts cosine similarities to logits.

    Call arguments:
        text_ids: int `(batch_size, num_texts)`; equal texts have equal ids.
        embeddings: float `(batch_size, num_texts, dim)`: anchor, positive
            and (in triplets) negative.

    Returns:
        Scalar, the mean over the examples.

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
        logits -= _LARGE * ops.cast(_false_negatives(text_ids), logits.dtype)
        own = ops.arange(ops.shape(logits)[0])
        return ops.sparse_categorical_crossentropy(
            own, logits, from_logits=True
        )


class CosineLoss(keras.losses.Loss):
    """Mean squared error between cosine similarities and given scores.

    Call arguments:
        scores: float `(batch_size,)`.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        Scalar, the mean over the pairs.

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
    """Return all positives, then all negatives, along one axis."""
    columns = [values[:, place] for place in range(1, values.shape[1])]
    return ops.concatenate(columns, axis=0)


def _false_negatives(text_ids):
    """Return the mask of duplicates and other positives of the anchor."""
    anchors, positives = text_ids[:, :1], text_ids[:, 1:2]  # [B, 1]
    candidates = _candidates(text_ids)[None]  # [1, C]
    batch_size, num_candidates = ops.shape(anchors)[0], ops.shape(candidates)[1]
    same_anchor = ops.pad(  # [B, C]; False for negatives.
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
