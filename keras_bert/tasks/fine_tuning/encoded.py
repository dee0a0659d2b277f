"""Texts as the rows of a model, to learn from and to be asked alike."""

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from keras_bert.tasks.batches.packed_rows import PackedRows

# So many texts are packed to the full length together.
_TEXTS_AT_ONCE = 4096

# XLA compiles a program for each width, so there it has few to compile.
_WIDTH_MULTIPLE = 1 if keras.backend.backend() == "tensorflow" else 32

# The output that learns from a teacher.
DISTILLED = "taught"


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
    if num_cut and not preprocess.has_warned_truncation:
        preprocess.has_warned_truncation = True
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


def token_targets(rows, logits, padding):
    """Makes the targets of `DISTILLED` of a teacher's logits for tokens.

    Args:
        rows: `PackedRows`.
        logits: list with a float32 array `(num_tokens, num_outputs)` for each.
        padding: float, of what has no token.
    """
    logits = np.concatenate(logits)
    told = rows.with_values({DISTILLED: logits}, {DISTILLED: padding})
    return lambda indices: told.inputs(indices)[DISTILLED]


class Encoded:
    """Rows of a model, and what a task has to know of them.

    An answer may be made of several rows, such as the windows of a long text.
    Each row is an example to learn from, or several together, such as the
    choices of a question.

    Args:
        rows: `PackedRows`, those of each answer one after another.
        counts: int array `(num_answers,)`, of how many rows each answer is
            made; of 1 by default.
        groups: int array `(num_examples, num_rows)`, the rows that are an
            example together; None where each is one.
        targets: array `(num_examples, ...)`; None of texts that are only to
            be answered.
        weights: float32 `(num_examples,)`; all 1 by default.
        num_labels: int, if targets and weights are those of tokens: int32 and
            float32 `(num_tokens,)`, the tokens of all rows one after another.
        output: str, the output of the model that has the targets.
        decode_context: context that `decode` of the task needs; for `part` a
            list with an item for each answer.

    Attributes:
        starts: int array `(num_answers,)`, the first row of each answer.
        extra_targets: dict from the names of further outputs to functions
            from indices of examples, in graph, to their targets, such as the
            logits of a teacher under `DISTILLED`.
    """

    def __init__(
        self,
        rows,
        counts=None,
        *,
        groups=None,
        targets=None,
        weights=None,
        num_labels=None,
        output="logits",
        decode_context=None,
    ):
        self.rows = rows
        self.counts = np.ones(len(rows), int) if counts is None else counts
        self.starts = np.cumsum(self.counts) - self.counts
        self.groups = groups
        self.num_labels = num_labels
        self.output = output
        self.decode_context = decode_context
        self.extra_targets = {}
        if weights is None and targets is not None:
            weights = np.ones(len(targets), np.float32)
        self.targets, self.weights = targets, weights
        if num_labels is not None:
            self._labels = rows.with_values(
                {"targets": targets, "weights": weights},
                {"targets": 0, "weights": 0.0},
            )

    def __len__(self):
        return len(self.lengths)

    @property
    def lengths(self):
        """int `(num_examples,)`, the tokens of the longest row of each."""
        lengths = self.rows.lengths
        return lengths if self.groups is None else lengths[self.groups].max(1)

    @property
    def truncated(self):
        """bool `(num_answers,)`, which of the texts were longer and are cut."""
        return np.logical_or.reduceat(self.rows.truncated, self.starts)

    @property
    def own_targets(self):
        """The targets of the answers: of each example, or of its first row."""
        is_grouped = self.groups is not None
        return self.targets if is_grouped else self.targets[self.starts]

    def part(self, indices):
        """Return some of the answers, without the targets of tokens."""
        counts, groups = self.counts[indices], self.groups
        places = [
            np.arange(start, start + count)
            for start, count in zip(self.starts[indices], counts, strict=True)
        ]
        places = np.concatenate(places)
        rows, targets = self.rows.part(places), None
        if self.targets is not None and self.num_labels is None:
            targets = self.targets[places if groups is None else indices]
        if groups is not None:
            groups = np.arange(len(rows)).reshape(-1, groups.shape[1])
        context = self.decode_context
        context = context and [context[index] for index in indices]
        return Encoded(
            rows, counts, groups=groups, targets=targets, decode_context=context
        )

    def answer_targets(self, logits):
        """Makes the targets of `DISTILLED` of logits, a row for each answer."""
        if self.groups is None:
            logits = np.repeat(logits, self.counts, axis=0)
        return lambda indices: tf.gather(logits, indices)

    def inputs(self, indices):
        """Returns the model inputs of some examples."""
        if self.groups is not None:
            indices = tf.gather(self.groups, indices)
        return self.rows.inputs(indices)

    def batch(self, indices):
        """Gathers what `model.fit` takes of some examples, in graph or eagerly.

        Returns:
            A dict of int32 `(batch_size, width)` inputs, or of `(batch_size,
            num_rows, width)`, and dicts of the targets and of their weights.
            Targets of tokens are float32 `(batch_size, width, num_labels)`, 1
            at the label. Those of `extra_targets` follow.
        """
        if self.num_labels is None:
            targets = tf.gather(self.targets, indices)
            weights = tf.gather(self.weights, indices)
        else:
            labels = self._labels.inputs(indices)
            targets = tf.one_hot(labels["targets"], self.num_labels)
            weights = labels["weights"]
        outputs = {self.output: targets}
        for name, targets in self.extra_targets.items():
            outputs[name] = targets(indices)
        return self.inputs(indices), outputs, dict.fromkeys(outputs, weights)
