"""Build the `tf.data.Dataset` of training batches for `model.fit`."""

import numpy as np
import tensorflow as tf

from keras_bert.tasks.batches.length_buckets import training_buckets

_BATCHES_AHEAD = 2


def training_dataset(examples, batch_size, num_epochs, seed):
    """Return a dataset of training batches, reshuffled in each epoch.

    Args:
        examples: object with `lengths`, int array `(num_examples,)`, and a
            method `batch(indices)` that creates a batch for `model.fit` in a
            TensorFlow graph.
        batch_size: int.
        num_epochs: int.
        seed: int, random seed for shuffling.

    Returns:
        A `tf.data.Dataset` with `num_batches` elements for each epoch.
    """
    buckets = [
        bucket
        for epoch in range(num_epochs)
        for bucket in training_buckets(
            examples.lengths, batch_size, seed, epoch
        )
    ]
    indices = tf.RaggedTensor.from_row_lengths(
        np.concatenate(buckets), [len(bucket) for bucket in buckets]
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


def num_batches(num_examples, batch_size):
    """Return the number of batches in an epoch."""
    return -(-num_examples // batch_size)
