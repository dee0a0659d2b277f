"""Tokenized texts with the targets of a model."""

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from keras_bert.data.batches.packed_rows import PackedRows

# So many texts are packed to the full length together.
_TEXTS_AT_ONCE = 4096

# XLA compiles a program for each width, so there it has few to compile.
_WIDTH_MULTIPLE = 1 if keras.backend.backend() == "tensorflow" else 32


def tokenized_rows(preprocess, *texts):
    """Tokenizes all texts, in main memory without padding, as `PackedRows`.

    The first time that some are cut, a warning says how many.

    Args:
        preprocess: `Preprocessor`.
        *texts: one list of bytes, or two of the same length for pairs.
    """
    chunks, truncated = [], []
    for start in _starts(texts[0]):
        some = [column[start : start + _TEXTS_AT_ONCE] for column in texts]
        inputs, are_cut = preprocess.encode_eagerly(*some)
        chunks.append(arrays(inputs))
        truncated.append(are_cut.numpy())
    rows = unpadded_rows(preprocess, chunks)
    rows.truncated = np.concatenate(truncated)
    num_cut = rows.truncated.sum()
    if num_cut and not preprocess.has_told_cut:
        preprocess.has_told_cut = True
        logging.warning(
            "%d of %d texts (%.1f %%) are longer than seq_length=%d tokens "
            "and are cut. Later calls cut in silence.",
            num_cut,
            len(texts[0]),
            100 * num_cut / len(texts[0]),
            preprocess.seq_length,
        )
    return rows


def packed_rows(preprocess, ids):
    """Packs texts that are tokenized already, as `PackedRows`.

    Args:
        preprocess: `Preprocessor`.
        ids: list of int32 arrays `(num_tokens,)`, one for each text.
    """
    chunks = []
    for start in _starts(ids):
        tokens = ragged(ids[start : start + _TEXTS_AT_ONCE])
        chunks.append(arrays(preprocess.pack(tokens)))
    return unpadded_rows(preprocess, chunks)


def ragged(rows):
    """Makes a RaggedTensor of a list of int32 arrays `(num_tokens,)`."""
    return tf.RaggedTensor.from_row_lengths(
        np.concatenate([np.zeros(0, np.int32), *rows]),
        np.array([len(row) for row in rows], np.int64),
    )


def _starts(texts):
    """Yields the start of each chunk; without texts there is an empty one."""
    return range(0, max(len(texts), 1), _TEXTS_AT_ONCE)


def arrays(tensors):
    """Copies a dict of tensors into arrays."""
    return {name: x.numpy() for name, x in tensors.items()}


def unpadded_rows(preprocess, chunks):
    """Removes the padding of packed inputs, for `PackedRows`.

    Args:
        preprocess: `Preprocessor` that has packed them.
        chunks: iterable of dicts of int32 `(num_rows, seq_length)` arrays; at
            least one.
    """
    template = preprocess.template
    pad_id = preprocess.tokenizer.vocabulary.id_of(template.padding)
    return PackedRows.from_chunks(chunks, template, pad_id, _WIDTH_MULTIPLE)


class Examples:
    """Rows of texts, each with a target and a weight.

    Args:
        rows: `PackedRows`.
        targets: array `(num_examples, ...)`; None of texts that are only to
            be answered.
        weights: float32 `(num_examples,)`; all 1 by default.

    Attributes:
        lengths: int `(num_examples,)`, in tokens.
        truncated: bool `(num_examples,)`, which were longer and are cut.
    """

    def __init__(self, rows, targets=None, weights=None):
        self.rows = rows
        self.targets = targets
        if weights is None:
            weights = np.ones(len(rows), np.float32)
        self.weights = weights

    def __len__(self):
        return len(self.rows)

    @property
    def lengths(self):
        return self.rows.lengths

    @property
    def truncated(self):
        return self.rows.truncated

    def part(self, indices):
        """Takes some of the examples, by their indices."""
        return Examples(
            self.rows.part(indices),
            self.targets[indices],
            self.weights[indices],
        )

    def inputs(self, indices):
        """Returns the model inputs of some examples."""
        return self.rows.inputs(indices)

    def batch(self, indices):
        """Gathers what `model.fit` takes of some examples, in graph or eagerly.

        Returns:
            A dict of int32 `(batch_size, width)` inputs, and dicts of the
            targets and of their weights.
        """
        return (
            self.inputs(indices),
            {"logits": tf.gather(self.targets, indices)},
            {"logits": tf.gather(self.weights, indices)},
        )


class TokenExamples:
    """Rows of texts, each token with a target and a weight.

    Args:
        rows: `PackedRows`.
        targets: int32 `(num_tokens,)`, the label of each token of all rows,
            one row after another.
        weights: float32 `(num_tokens,)`; 0 for tokens without a label.
        num_labels: int.

    Attributes:
        lengths: int `(num_examples,)`, in tokens.
    """

    def __init__(self, rows, targets, weights, num_labels):
        self.rows = rows
        self.num_labels = num_labels
        self._labels = rows.beside(
            {"targets": targets, "weights": weights},
            {"targets": 0, "weights": 0.0},
        )

    def __len__(self):
        return len(self.rows)

    @property
    def lengths(self):
        return self.rows.lengths

    def inputs(self, indices):
        """Returns the model inputs of some examples."""
        return self.rows.inputs(indices)

    def place(self, index, width):
        """Returns an example's place in a batch, as `PackedRows.place` does."""
        return self.rows.place(index, width)

    def batch(self, indices):
        """Gathers what `model.fit` takes of some examples, in graph or eagerly.

        Returns:
            A dict of int32 `(batch_size, width)` inputs, and dicts of the
            targets, float32 `(batch_size, width, num_labels)`, 1 at the label,
            and of their weights, float32 `(batch_size, width)`.
        """
        labels = self._labels.inputs(indices)
        return (
            self.inputs(indices),
            {"logits": tf.one_hot(labels["targets"], self.num_labels)},
            {"logits": labels["weights"]},
        )
