"""Static embeddings distilled from an embedder."""

import re

import numpy as np
import tensorflow as tf

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.static_embeddings.model import (
    StaticEmbeddingsConfig,
)
from keras_bert.tasks.embeddings.model import embedding_model
from keras_bert.tasks.fine_tuning.columns import checked_texts
from keras_bert.tasks.fine_tuning.encoded import packed_rows
from keras_bert.tasks.fine_tuning.encoded import tokenized
from keras_bert.tasks.fine_tuning.forward import Forward

_MARKS = re.compile(r"[\[<].+[\]>]")  # Such as [SEP], [unused7] and <s>.
# Weight of a piece with probability p: a / (a + p), for estimated and counted
# probabilities.
_ZIPF_SMOOTHING, _COUNTS_SMOOTHING = 1e-4, 1e-3
_RIDGE = 0.1
_NUM_STEPS = 40


def static_model(embedder, dim, texts):
    """Distill an embedder into static embeddings.

    The vector of a word piece is its embedding as a text, projected to the
    first principal components and scaled by the inverse frequency of the
    piece. With texts, a ridge regression then fits the mean of the vectors of
    each text to its embedding.

    Args:
        embedder: `TextEmbedder`.
        dim: int, size of the vectors.
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
    vectors = _piece_vectors(embedder, preprocess, len(vocabulary))
    vectors -= vectors[is_word].mean(axis=0)
    if texts is None:
        ranks = np.cumsum(is_word) + 1
        weights = _inverse_frequency(is_word / ranks, _ZIPF_SMOOTHING)
        table = vectors @ _components(vectors[is_word], dim)
        table *= weights[:, None] * is_word[:, None]
    else:
        encoded = checked_texts(texts)
        if not encoded:
            raise ValueError(
                "`texts` must not be empty. Received: texts=[]. Pass None to "
                "distill without texts."
            )
        means, counts = _means(preprocess, encoded)
        weights = _inverse_frequency(counts, _COUNTS_SMOOTHING) * is_word
        texts = [text.decode() for text in encoded]
        targets = embedder.embed(texts, prompt="")
        components = _components(targets, dim)
        table = (vectors * weights[:, None]) @ components
        table = _fit(means, table, targets @ components)
    config = StaticEmbeddingsConfig(
        len(vocabulary), dim, embedder.pretrained.config.max_seq_length
    )
    settings = embedder.pretrained.tokenizer_settings
    model = PretrainedModel.from_config(config, settings)
    model.backbone.embeddings.word_embeddings.assign(table)
    return model


def _piece_vectors(embedder, preprocess, num_pieces):
    """Return the embedding of each piece before normalization."""
    model = embedding_model(
        embedder.pretrained, embedder.pooling, embedder.dense
    )
    rows = packed_rows(
        preprocess, np.arange(num_pieces, dtype=np.int32)[:, None]
    )
    vectors = np.empty((num_pieces, embedder.dim), np.float32)
    for indices, outputs in Forward(model, embedder.batch_tokens)(rows):
        vectors[indices] = outputs["embedding"]
    return vectors


def _components(vectors, dim):
    """Return the first principal components as columns."""
    moments = vectors.T.astype(np.float64) @ vectors
    _, components = np.linalg.eigh(moments)  # In ascending order.
    return components[:, : -dim - 1 : -1].astype(np.float32)


def _inverse_frequency(counts, smoothing):
    """Return the SIF weights of pieces.

    References:
        [A Simple but Tough-to-Beat Baseline for Sentence
        Embeddings](https://openreview.net/forum?id=SyK00v5xx)
    """
    probabilities = counts / max(counts.sum(), 1)
    weights = smoothing / (smoothing + probabilities)
    return weights.astype(np.float32)


def _means(preprocess, texts):
    """Return the matrix that averages pieces, and the count of each piece."""
    room, size = preprocess.room, len(preprocess.tokenizer.vocabulary)
    ids = [row[:room] for (row,) in tokenized(preprocess.tokenizer, texts)]
    lengths = np.array([len(row) for row in ids])
    rows, pieces = np.repeat(np.arange(len(ids)), lengths), np.concatenate(ids)
    matrix = tf.SparseTensor(
        np.stack([rows, pieces], axis=1).astype(np.int64),
        (1 / lengths[rows]).astype(np.float32),
        (len(ids), size),
    )
    return matrix, np.bincount(pieces, minlength=size)


def _fit(matrix, table, targets):
    """Minimize the squared error of `matrix @ table` by conjugate gradients.

    The ridge penalizes the distance from the scaled initial table.
    """

    def product(x, is_transposed=False):
        product = tf.sparse.sparse_dense_matmul(matrix, x, is_transposed)
        return product.numpy()

    means = product(table)
    scale = (means * targets).sum() / max(np.square(means).sum(), 1e-30)
    residual = product(targets - scale * means, is_transposed=True)
    table, direction = scale * table, residual
    square = np.square(residual).sum(axis=0)
    for _ in range(_NUM_STEPS):
        image = product(product(direction), is_transposed=True)
        image += _RIDGE * direction
        step = square / np.maximum((direction * image).sum(axis=0), 1e-30)
        table = table + step * direction
        residual = residual - step * image
        before, square = square, np.square(residual).sum(axis=0)
        direction = residual + square / np.maximum(before, 1e-30) * direction
    return table
