"""Build the `tf.data.Dataset` of training batches for `model.fit`."""

import itertools

import numpy as np
import tensorflow as tf

_BATCHES_AHEAD = 2


def training_dataset(examples, epochs):
    """Return a dataset of the training batches of all epochs.

    Args:
        examples: object with a method `batch(indices)` that creates a batch
            for `model.fit` in a TensorFlow graph.
        epochs: list with a list of int arrays for each epoch, the indices of
            the examples of each batch.
    """
    batches = [*itertools.chain(*epochs)]
    indices = tf.RaggedTensor.from_row_lengths(
        np.concatenate(batches), [len(batch) for batch in batches]
    )
    # Batches are cheap, and on one core autotuning would sleep for up to a
    # minute after the last batch.
    options = tf.data.Options()
    options.autotune.enabled = False
    return (
        tf.data.Dataset.from_tensor_slices(indices)
        .map(examples.batch)
        .prefetch(_BATCHES_AHEAD)
        .with_options(options)
    )


def epochs_of_batches(examples, batch_size, num_epochs, seed):
    """Return the batches of each epoch, reshuffled in each epoch.

    Args:
        examples: object with a method `epoch_batches(batch_size, seed, epoch)`
            that returns a list of int arrays.
        batch_size, num_epochs, seed: int.

    Returns:
        A list of lists of int arrays. All epochs have the same number of
        batches; if needed, the largest batches of an epoch are split.
    """
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
