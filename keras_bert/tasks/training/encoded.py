"""Tokenized examples with model inputs, targets and weights."""

import collections.abc
import itertools
import typing

import keras
import numpy as np
from absl import logging

from keras_bert import features
from keras_bert.tasks.training.batches import TargetFunction
from keras_bert.tasks.training.batches import TrainingBatch
from keras_bert.tasks.training.batches import training_buckets
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.preprocessor import Rows

Logits: typing.TypeAlias = (
    np.ndarray | list[np.ndarray] | list[list[np.ndarray]]
)
"""Logits of predictions, float32: `(num_answers, num_outputs)`, or a list with
an array `(num_tokens, num_outputs)` for each prediction, or a list with a list
of such arrays, one for each window of the prediction.
"""

# Number of texts that are tokenized together.
_TEXTS_AT_ONCE = 4096

# XLA compiles a program for each width, so use few widths.
_WIDTH_MULTIPLE = 1 if keras.backend.backend() == "tensorflow" else 32

# Name of the distillation output.
DISTILLED = "taught"


def tokenized_rows(preprocess: Preprocessor, *texts: list[bytes]) -> RaggedRows:
    """Tokenize texts into `RaggedRows`.

    The first time that texts are truncated, a warning reports their number.

    Args:
        preprocess: the preprocessor.
        *texts: one list, or two lists of the same length for pairs.
    """
    rows = _in_chunks(preprocess, preprocess.encode_rows, texts)
    num_cut = rows.truncated.sum()
    if num_cut and not preprocess.has_warned_truncation:
        preprocess.has_warned_truncation = True
        logging.warning(
            "%d of %d texts (%.1f %%) are longer than seq_length=%d tokens "
            "and are truncated. Later calls do not warn.",
            num_cut,
            len(texts[0]),
            100 * num_cut / len(texts[0]),
            preprocess.seq_length,
        )
    return rows


def ragged_rows(preprocess: Preprocessor, *ids: list[np.ndarray]) -> RaggedRows:
    """Arrange tokenized texts as `RaggedRows`.

    Args:
        preprocess: the preprocessor.
        *ids: one list with an int32 array `(num_tokens,)` for each text, or
            two lists for pairs.
    """
    return _in_chunks(preprocess, preprocess.rows, ids)


def tokenized(
    tokenize: collections.abc.Callable[[list[bytes]], typing.Any],
    texts: list[bytes],
) -> collections.abc.Iterator[list[np.ndarray]]:
    """Tokenize texts and iterate over their tokens.

    Args:
        tokenize: `Tokenizer`, or its method `tokenize_with_offsets`.
        texts: the texts, in UTF-8.

    Returns:
        An iterator over texts. Each item is a list of arrays `(num_tokens,)`:
        the ids, and the start and end offsets if `tokenize` returns them.
    """
    for begin in range(0, len(texts), _TEXTS_AT_ONCE):
        tokens = tokenize(texts[begin : begin + _TEXTS_AT_ONCE])
        tokens = tokens if isinstance(tokens, tuple) else (tokens,)
        yield from map(list, zip(*map(_as_list, tokens), strict=True))


def _as_list(rows: typing.Any) -> list[np.ndarray]:
    """Convert a RaggedTensor to a list of arrays; return a list unchanged."""
    if isinstance(rows, list):
        return rows
    values, ends = rows.flat_values.numpy(), rows.row_splits.numpy()
    return [values[start:end] for start, end in itertools.pairwise(ends)]


def _in_chunks(
    preprocess: Preprocessor,
    encode: collections.abc.Callable[..., Rows],
    columns: tuple[list, ...],
) -> RaggedRows:
    """Tokenize texts in chunks and join the resulting `Rows`."""
    chunks = []
    for start in range(0, max(len(columns[0]), 1), _TEXTS_AT_ONCE):
        some = (column[start : start + _TEXTS_AT_ONCE] for column in columns)
        chunks.append(keras.tree.map_structure(np.asarray, encode(*some)))
    return rows_of(
        preprocess,
        *keras.tree.map_structure(lambda *x: np.concatenate(x), *chunks),
    )


def rows_of(
    preprocess: Preprocessor,
    inputs: dict[str, np.ndarray],
    lengths: np.ndarray,
    truncated: np.ndarray | None = None,
) -> RaggedRows:
    """Create `RaggedRows`.

    Args:
        preprocess: the preprocessor.
        inputs, lengths, truncated: fields of `Rows`, as arrays.
    """
    template = preprocess.template
    padding = {
        features.INPUT_IDS.name: preprocess.tokenizer.vocabulary.id_of(
            template.padding
        ),
        features.INPUT_MASK.name: 0,
        features.SEGMENT_IDS.name: template.padding_segment,
    }
    return RaggedRows(
        inputs,
        lengths,
        padding,
        template.padding_side,
        _WIDTH_MULTIPLE,
        preprocess.seq_length,
        truncated,
    )


def token_targets(
    rows: RaggedRows, logits: list[np.ndarray], padding: float
) -> TargetFunction:
    """Convert a teacher's token logits to targets for `DISTILLED`.

    Args:
        rows: rows of the examples.
        logits: list with a float32 array `(num_tokens, num_outputs)` per row.
        padding: value at padding.
    """
    logits = np.concatenate(logits)
    targets = rows.with_values({DISTILLED: logits}, {DISTILLED: padding})
    return lambda indices: targets.inputs(indices)[DISTILLED]


class Encoded:
    """Tokenized examples with model inputs, targets and weights.

    A prediction may combine several rows, such as the windows of a long text.
    A training example is one row, or a group of rows, such as the choices of a
    question.

    Args:
        rows: rows of all predictions; the rows of a prediction are adjacent.
        counts: int array `(num_answers,)`, number of rows of each prediction.
            Defaults to 1.
        groups: int array `(num_examples, num_rows)`, row indices of each
            example; None if each row is an example.
        targets: array `(num_examples, ...)`; None for prediction.
        weights: float32 `(num_examples,)`. Defaults to 1.
        num_labels: number of labels if the targets are per token; `targets`
            and `weights` are then int32 and float32 `(num_tokens,)`,
            concatenated over all rows.
        output: name of the model output that the targets are for.
        decode_context: additional values for the task's `decode`. `subset`
            requires a list with an item for each prediction.

    Attributes:
        starts: int array `(num_answers,)`, index of the first row of each
            prediction.
        sample_weight: array `(num_answers,)`, weights for metrics, 1 before a
            call of `weigh`.
        extra_targets: dict mapping additional output names to functions that
            map indices to targets, such as a teacher's logits for
            `DISTILLED`.
    """

    def __init__(
        self,
        rows: RaggedRows,
        counts: np.ndarray | None = None,
        *,
        groups: np.ndarray | None = None,
        targets: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        num_labels: int | None = None,
        output: str = "logits",
        decode_context: typing.Any = None,
    ):
        self.rows = rows
        self.counts = np.ones(len(rows), int) if counts is None else counts
        self.starts = np.cumsum(self.counts) - self.counts
        self.groups = groups
        self.num_labels = num_labels
        self.output = output
        self.decode_context = decode_context
        self.extra_targets: dict[str, TargetFunction] = {}
        if weights is None and targets is not None:
            weights = np.ones(len(targets), np.float32)
        self.targets, self.weights = targets, weights
        self.sample_weight = np.ones(len(self.counts), int)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def lengths(self) -> np.ndarray:
        """Length of each example's longest row, int `(num_examples,)`."""
        lengths = self.rows.lengths
        return lengths if self.groups is None else lengths[self.groups].max(1)

    @property
    def truncated(self) -> np.ndarray:
        """Mask of the texts that are truncated, bool `(num_answers,)`."""
        return np.logical_or.reduceat(self.rows.truncated, self.starts)

    @property
    def own_targets(self) -> np.ndarray:
        """Targets, one for each prediction."""
        targets = typing.cast(np.ndarray, self.targets)
        return targets if self.groups is not None else targets[self.starts]

    def weigh(self, sample_weight: np.ndarray) -> None:
        """Multiply the weights by a weight for each prediction.

        Args:
            sample_weight: float `(num_answers,)`.
        """
        self.sample_weight = sample_weight
        if self.groups is None:
            sample_weight = np.repeat(sample_weight, self.counts)
        if self.num_labels is not None:
            sample_weight = np.repeat(sample_weight, self.rows.lengths)
        self.weights = (self.weights * sample_weight).astype(np.float32)

    def subset(self, indices: np.ndarray) -> "Encoded":
        """Select predictions by index. Token targets are dropped."""
        counts, groups = self.counts[indices], self.groups
        row_indices = [
            np.arange(start, start + count)
            for start, count in zip(self.starts[indices], counts, strict=True)
        ]
        row_indices = np.concatenate(row_indices)
        rows, targets = self.rows.subset(row_indices), None
        if self.targets is not None and self.num_labels is None:
            targets = self.targets[row_indices if groups is None else indices]
        if groups is not None:
            moves = np.cumsum(counts) - counts - self.starts[indices]
            groups = groups[indices] + moves[:, np.newaxis]
        context = self.decode_context
        context = context and [context[index] for index in indices]
        return Encoded(
            rows, counts, groups=groups, targets=targets, decode_context=context
        )

    def answer_targets(self, logits: np.ndarray) -> TargetFunction:
        """Convert a teacher's logits to targets for `DISTILLED`."""
        if self.groups is None:
            logits = np.repeat(logits, self.counts, axis=0)
        return lambda indices: logits[indices]

    def epoch_batches(
        self, batch_size: int, seed: int, epoch: int
    ) -> list[np.ndarray]:
        """Return the batches of an epoch, int arrays with example indices."""
        return training_buckets(self.lengths, batch_size, seed, epoch)

    def inputs(self, indices: np.ndarray) -> dict[str, np.ndarray]:
        """Return the model inputs of the given examples."""
        if self.groups is not None:
            indices = self.groups[indices]
        return self.rows.inputs(indices)

    def batch(self, indices: np.ndarray) -> TrainingBatch:
        """Create a batch for `model.fit`.

        Args:
            indices: int array `(batch_size,)`, which may be empty.

        Returns:
            A dict of int32 inputs `(batch_size, width)`, or
            `(batch_size, num_rows, width)` for groups, and two dicts that map
            output names to targets and weights. Token targets are one-hot,
            float32 `(batch_size, width, num_labels)`.
        """
        if self.num_labels is None:
            targets = self.targets[indices]
            weights = self.weights[indices]
        else:
            labels = self.rows.with_values(
                {"targets": self.targets, "weights": self.weights},
                {"targets": 0, "weights": 0.0},
            ).inputs(indices)
            one_hot = np.eye(self.num_labels, dtype=np.float32)
            targets = one_hot[labels["targets"]]
            weights = labels["weights"]
        outputs = {self.output: targets}
        for name, targets in self.extra_targets.items():
            outputs[name] = targets(indices)
        return self.inputs(indices), outputs, dict.fromkeys(outputs, weights)

    def probe_batches(self) -> list[TrainingBatch]:
        """Return two batches in which all variable sizes differ."""
        return [self.batch(np.arange(count)) for count in range(2)]
