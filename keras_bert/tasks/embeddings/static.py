"""Static embeddings distilled from an embedder."""

import re

import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.lazy_tensorflow import tf
from keras_bert.models.families.static_embeddings.model import (
    StaticEmbeddingsConfig,
)
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.embeddings.model import embedding_model
from keras_bert.tasks.embeddings.model import unit
from keras_bert.tasks.training.encoded import ragged_rows
from keras_bert.tasks.training.encoded import tokenized
from keras_bert.tasks.training.forward import Forward

_MARKS = re.compile(r"[\[<].+[\]>]")  # Such as [SEP], [unused7] and <s>.
# The weight of a piece with probability p is a / (a + p). These are the values
# of a for estimated and for counted probabilities.
_ZIPF_SMOOTHING, _COUNT_SMOOTHING = 1e-4, 1e-3
_RIDGE = 0.03
_NUM_ROUNDS, _NUM_STEPS = 3, 20
_TINY = 1e-12


def static_model(embedder, dim, texts):
    """Distill an embedder into static embeddings.

    Each word piece is embedded like a text. The vectors are projected to the
    first principal components and scaled by the inverse frequency of the
    piece. If texts are given, the vectors are then fitted, so that the mean
    vector of each text approximates its embedding.

    Args:
        embedder: `TextEmbedder`.
        dim: int, size of the static vectors.
        texts: list of texts, or None.

    Returns:
        A `PretrainedModel`.

    Raises:
        ValueError: `dim` is larger than the embeddings, or `texts` is invalid
            or empty.
    """
    checks.between(1, embedder.dim, dim=dim)
    preprocess = embedder.preprocess.with_prompt("")
    vocabulary = preprocess.tokenizer.vocabulary
    is_mark = [bool(_MARKS.fullmatch(token)) for token in vocabulary.tokens]
    is_word = ~np.array(is_mark)
    counts = None
    if texts is not None:
        counts = _counts(preprocess, checked_texts(texts), is_word)
    vectors = _piece_vectors(embedder, preprocess, len(vocabulary))
    vectors -= vectors[is_word].mean(axis=0)
    if counts is None:
        frequencies = is_word / (np.cumsum(is_word) + 1)  # Zipf's law.
        smoothing, examples = _ZIPF_SMOOTHING, vectors[is_word]
    else:
        frequencies = np.bincount(counts.indices[:, 1], minlength=len(is_word))
        smoothing = _COUNT_SMOOTHING
        vectors_of_texts = unit(embedder.embed(texts, prompt=""))
        examples = ops.convert_to_numpy(vectors_of_texts)
    components = _components(examples, dim)
    weights = _inverse_frequency(frequencies, smoothing) * is_word
    table = (vectors * weights[:, None]) @ components
    if counts is not None:
        table = _fit(counts, table, examples @ components)
    config = StaticEmbeddingsConfig(
        len(vocabulary), dim, embedder.pretrained.config.max_seq_length
    )
    settings = embedder.pretrained.tokenizer_settings
    model = PretrainedModel.from_config(config, settings)
    model.backbone.embeddings.word_embeddings.assign(table)
    return model


def _piece_vectors(embedder, preprocess, num_pieces):
    """Return the embedding of each piece, without normalization."""
    model = embedding_model(
        embedder.pretrained,
        embedder.pooling,
        embedder.dense,
        truncate_dim=embedder.truncate_dim,
    )
    pieces = np.arange(num_pieces, dtype=np.int32)
    rows = ragged_rows(preprocess, [*pieces[:, None]])
    vectors = np.empty((num_pieces, embedder.dim), np.float32)
    for indices, outputs in Forward(model, embedder.batch_tokens)(rows):
        vectors[indices] = outputs["embedding"]
    return vectors


def _components(vectors, dim):
    """Return the first `dim` principal components as columns."""
    moments = vectors.T.astype(np.float64) @ vectors
    _, components = np.linalg.eigh(moments)  # In ascending order.
    return components[:, : -dim - 1 : -1].astype(np.float32)


def _inverse_frequency(counts, smoothing):
    """Return the smooth inverse frequency (SIF) weight of each piece.

    References:
        [A Simple but Tough-to-Beat Baseline for Sentence
        Embeddings](https://openreview.net/forum?id=SyK00v5xx)
    """
    probabilities = counts / max(counts.sum(), 1)
    weights = smoothing / (smoothing + probabilities)
    return weights.astype(np.float32)


def _counts(preprocess, texts, is_word):
    """Return a sparse matrix of the piece counts of each text."""
    room, size = preprocess.room, len(preprocess.tokenizer.vocabulary)
    ids = [row[:room] for (row,) in tokenized(preprocess.tokenizer, texts)]
    rows = np.repeat(np.arange(len(ids)), [len(row) for row in ids])
    pieces = np.concatenate([np.zeros(0, np.int32), *ids])
    if not is_word[pieces].any():
        raise ValueError(
            "`texts` must contain words, and not only unknown ones. Pass None "
            "to distill without texts. Received: "
            f"{len(texts)} texts without words."
        )
    indices = np.stack([rows, pieces], axis=1).astype(np.int64)
    ones = np.ones(len(indices), np.float32)
    return tf.SparseTensor(indices, ones, (len(ids), size))


def _fit(counts, table, targets):
    """Fit a table so that `counts @ table` has the directions of `targets`.

    Each round scales the rows of `counts`, so that the predictions have length
    1, and then reduces the squared error with the conjugate gradient method.

    Args:
        counts: float32 `tf.SparseTensor` `(num_texts, num_pieces)`.
        table: float32 array `(num_pieces, dim)`, the initial vectors.
        targets: float32 array `(num_texts, dim)`, the projected embeddings of
            the texts.
    """
    texts = counts.indices[:, 0]
    for _ in range(_NUM_ROUNDS):
        sums = tf.sparse.sparse_dense_matmul(counts, table)
        lengths = np.linalg.norm(sums, axis=1)
        # A text of only unknown words has no direction yet.
        scales = np.where(lengths > 0, 1 / np.maximum(lengths, _TINY), 0)
        scales = tf.gather(scales.astype(np.float32), texts)
        matrix = tf.SparseTensor(counts.indices, scales, counts.dense_shape)
        table = _least_squares(matrix, table, targets)
    return table


def _least_squares(matrix, table, targets):
    """Solve a ridge regression of `targets` on `matrix` by conjugate gradients.

    The ridge term penalizes the distance from the scaled initial table.
    """

    def product(x, is_transposed=False):
        product = tf.sparse.sparse_dense_matmul(matrix, x, is_transposed)
        return product.numpy()

    predicted = product(table)
    scale = (predicted * targets).sum() / max(np.square(predicted).sum(), _TINY)
    residual = product(targets - scale * predicted, is_transposed=True)
    table, direction = scale * table, residual
    square = np.square(residual).sum(axis=0)
    for _ in range(_NUM_STEPS):
        image = product(product(direction), is_transposed=True)
        image += _RIDGE * direction
        step = square / np.maximum((direction * image).sum(axis=0), _TINY)
        table = table + step * direction
        residual = residual - step * image
        before, square = square, np.square(residual).sum(axis=0)
        direction = residual + square / np.maximum(before, _TINY) * direction
    return table
