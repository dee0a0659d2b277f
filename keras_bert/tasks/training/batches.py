"""Training batches for `model.fit`."""

import itertools
import weakref

import keras
import numpy as np

from keras_bert.lazy_tensorflow import tf

_BATCHES_AHEAD = 2


class TrainingBatches:
    """Training batches of several epochs.

    Args:
        examples: object with a method `batch(indices)` that creates a batch of
            arrays, and a method `probe_batches()` that returns several batches,
            in which all variable sizes differ.
        epochs: list with a list of int arrays for each epoch, the indices of
            the examples of each batch.
    """

    def __init__(self, examples, epochs):
        self._examples = examples
        self._batches = [*itertools.chain(*epochs)]

    def data(self):
        """Return data for `model.fit`, valid as long as this object exists.

        Returns:
            A generator, or, on TensorFlow, a `tf.data.Dataset` that prepares
            the next batches while the model trains on the current one.
        """
        if keras.backend.backend() != "tensorflow":
            return (self._examples.batch(x) for x in self._batches)
        signature = tf.nest.map_structure(
            _spec, *self._examples.probe_batches()
        )
        specs = tf.nest.flatten(signature)
        # TensorFlow keeps the function until the process ends.
        tensors_of = weakref.WeakMethod(self._tensors)

        def batch(number):
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
            tf.data.Dataset.range(len(self._batches))
            .map(batch)
            .prefetch(_BATCHES_AHEAD)
            .with_options(options)
        )

    def _tensors(self, number):
        return tf.nest.flatten(self._examples.batch(self._batches[number]))


def _spec(*arrays):
    """Return a `tf.TensorSpec` with None for each size that differs."""
    sizes = [{*some} for some in zip(*(x.shape for x in arrays), strict=True)]
    shape = [some.pop() if len(some) == 1 else None for some in sizes]
    return tf.TensorSpec(shape, arrays[0].dtype)


def epochs_of_batches(examples, batch_size, num_epochs, seed, steps=None):
    """Return the batches of each epoch, reshuffled in each pass.

    Args:
        examples: object with a method `epoch_batches(batch_size, seed, epoch)`
            that returns a list of int arrays.
        batch_size, num_epochs, seed: int.
        steps: int, number of batches in an epoch, or None if each epoch is a
            pass over the examples.

    Returns:
        A list of lists of int arrays. All epochs have the same number of
        batches; if needed, the largest batches of an epoch are split.
    """
    if steps is not None:
        passes = (
            examples.epoch_batches(batch_size, seed, number)
            for number in itertools.count()
        )
        batches = itertools.chain.from_iterable(passes)
        return [[*itertools.islice(batches, steps)] for _ in range(num_epochs)]
    epochs = [
        examples.epoch_batches(batch_size, seed, epoch)
        for epoch in range(num_epochs)
    ]
    count = max(map(len, epochs))
    return [_split_largest(batches, count) for batches in epochs]


def _split_largest(batches, count):
    """Split the largest batches in halves until there are `count` batches."""
    batches = [*batches]
    while len(batches) < count:
        largest = max(range(len(batches)), key=lambda n: len(batches[n]))
        batch = batches[largest]
        batches[largest : largest + 1] = np.array_split(batch, 2)
    return batches
