"""Batches of examples with similar lengths, and data for `model.fit`."""

import collections.abc
import typing
import weakref

import keras
import numpy as np

from keras_bert.lazy_tensorflow import tf

TrainingBatch: typing.TypeAlias = tuple[
    dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]
]
"""Inputs, targets and weights by name."""

TargetFunction: typing.TypeAlias = collections.abc.Callable[
    [np.ndarray], np.ndarray
]
"""Function that maps indices of examples to their targets."""

_BATCHES_AHEAD = 2
# Number of batches that are sorted by length together. A larger number reduces
# padding; a smaller one makes the batches of an epoch more random.
_BATCHES_SORTED_TOGETHER = 50


class TrainingExamples(typing.Protocol):
    """Examples to train on.

    Attributes:
        extra_targets: dict mapping additional output names to their targets.
    """

    extra_targets: dict[str, TargetFunction]

    def epoch_batches(
        self, batch_size: int, seed: int, epoch: int
    ) -> list[np.ndarray]:
        """Return the batches of an epoch, int arrays with example indices."""

    def batch(self, indices: np.ndarray) -> TrainingBatch:
        """Create a batch for `model.fit`."""

    def probe_batches(self) -> list[TrainingBatch]:
        """Return several batches, which differ in each size that can vary."""


class TrainingBatches:
    """Training batches of several epochs, reshuffled in each pass.

    Only one pass is in memory. All epochs have the same number of batches; if
    needed, the largest batches of an epoch are split.

    Args:
        examples: the examples.
        batch_size: number of examples in a batch.
        num_epochs: number of epochs.
        seed: random seed.
        steps: number of batches in an epoch, or None if each epoch is a pass
            over the examples.

    Attributes:
        examples: the examples.
        steps: number of batches in an epoch.
    """

    def __init__(
        self,
        examples: TrainingExamples,
        batch_size: int,
        num_epochs: int,
        seed: int,
        steps: int | None = None,
    ):
        self.examples = examples
        self._batch_size, self._seed = batch_size, seed
        self._num_epochs = num_epochs
        self._pass_is_epoch = steps is None
        self.steps: int = steps or max(
            len(examples.epoch_batches(batch_size, seed, epoch))
            for epoch in range(num_epochs)
        )
        self._current = self._pass(0, first_batch=0)

    def __getitem__(self, number: int) -> np.ndarray:
        """Return the indices of the examples of a batch.

        Args:
            number: position of the batch in all epochs. Ascending numbers are
                the fastest.
        """
        current = self._current
        if number < current.first_batch:
            current = self._pass(0, first_batch=0)
        while number >= current.end:
            current = self._pass(current.number + 1, first_batch=current.end)
        self._current = current
        return current.batches[number - current.first_batch]

    def _pass(self, number: int, first_batch: int) -> "_Pass":
        batches = self.examples.epoch_batches(
            self._batch_size, self._seed, number
        )
        if self._pass_is_epoch:
            batches = _split_largest(batches, self.steps)
        return _Pass(number, first_batch, batches)

    def data(
        self, first_epoch: int = 0
    ) -> "collections.abc.Iterator[TrainingBatch] | tf.data.Dataset":
        """Return data for `model.fit`, valid as long as this object exists.

        Args:
            first_epoch: number of completed epochs. If none is left, the last
                epoch is returned, because Keras reads a batch.

        Returns:
            A generator, or, on TensorFlow, a `tf.data.Dataset` that prepares
            the next batches while the model trains on the current one.
        """
        first_epoch = min(first_epoch, self._num_epochs - 1)
        limits = first_epoch * self.steps, self._num_epochs * self.steps
        if keras.backend.backend() != "tensorflow":
            return (self.examples.batch(self[n]) for n in range(*limits))
        signature = tf.nest.map_structure(_spec, *self.examples.probe_batches())
        specs = tf.nest.flatten(signature)
        # TensorFlow keeps the function until the process ends.
        tensors_of = weakref.WeakMethod(self._tensors)

        def batch(number: tf.Tensor) -> typing.Any:
            # `Dataset.from_generator` takes longer.
            tensors = tf.numpy_function(
                lambda number: tensors_of()(number),
                [number],
                [spec.dtype for spec in specs],
                stateful=False,
            )
            tensors = tf.nest.flatten(tensors)
            for tensor, spec in zip(tensors, specs, strict=True):
                tensor.set_shape(spec.shape)
            return tf.nest.pack_sequence_as(signature, tensors)

        # Batches are cheap, and on one core autotuning would sleep for up to a
        # minute after the last batch.
        options = tf.data.Options()
        options.autotune.enabled = False
        return (
            tf.data.Dataset.range(*limits)
            .map(batch)
            .prefetch(_BATCHES_AHEAD)
            .with_options(options)
        )

    def _tensors(self, number: np.ndarray) -> "list[tf.Tensor]":
        return tf.nest.flatten(self.examples.batch(self[int(number)]))


class _Pass(typing.NamedTuple):
    """Batches of a pass over the examples, and its place in all passes."""

    number: int
    first_batch: int
    batches: list[np.ndarray]

    @property
    def end(self) -> int:
        return self.first_batch + len(self.batches)


def _spec(*arrays: np.ndarray) -> "tf.TensorSpec":
    """Return a `tf.TensorSpec` with None for each size that differs."""
    sizes = [{*some} for some in zip(*(x.shape for x in arrays), strict=True)]
    shape = [some.pop() if len(some) == 1 else None for some in sizes]
    return tf.TensorSpec(shape, arrays[0].dtype)


def _split_largest(batches: list[np.ndarray], count: int) -> list[np.ndarray]:
    """Split the largest batches in halves until there are `count` batches."""
    batches = [*batches]
    while len(batches) < count:
        largest = max(range(len(batches)), key=lambda n: len(batches[n]))
        batch = batches[largest]
        batches[largest : largest + 1] = np.array_split(batch, 2)
    return batches


def training_buckets(
    lengths: np.ndarray, batch_size: int, seed: int, epoch: int
) -> list[np.ndarray]:
    """Group texts into shuffled batches of similar length.

    The shuffled texts are split into groups of several batches. Each group is
    sorted by length, and all batches are shuffled. One batch may be smaller.

    Args:
        lengths: int array `(num_texts,)`.
        batch_size: number of texts in a batch.
        seed: random seed.
        epoch: epoch number. Each epoch has a different order.

    Returns:
        A list of int arrays, the indices of each batch. Each text is in
        exactly one batch.
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(lengths))
    batches = []
    group_size = batch_size * _BATCHES_SORTED_TOGETHER
    for start in range(0, len(order), group_size):
        group = order[start : start + group_size]
        group = group[np.argsort(-lengths[group], kind="stable")]
        batches += [
            group[at : at + batch_size]
            for at in range(0, len(group), batch_size)
        ]
    return [batches[index] for index in random.permutation(len(batches))]


def length_buckets(lengths: np.ndarray, max_tokens: int) -> list[np.ndarray]:
    """Group texts into batches of limited size, longest texts first.

    Args:
        lengths: int array `(num_texts,)`.
        max_tokens: maximum number of tokens in a batch, including padding. A
            longer text gets its own batch.

    Returns:
        A list of int arrays, the indices of each batch. Each text is in
        exactly one batch; lengths are in descending order.
    """
    order = np.argsort(-lengths, kind="stable")
    buckets, start = [], 0
    while start < len(order):
        size = max(1, max_tokens // lengths[order[start]])
        buckets.append(order[start : start + size])
        start += size
    return buckets
