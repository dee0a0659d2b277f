"""Batches of labelled texts for `model.fit`, as a tf.data.Dataset."""

import numpy as np
import tensorflow as tf

from keras_bert.tasks.batches.length_buckets import training_buckets

_BATCHES_AHEAD = 2


def training_dataset(examples, batch_size, num_epochs, seed):
    """Batches of several passes, each in an order of its own.

    Args:
        examples: an object with `lengths`, int array `(num_examples,)`, and
            `batch(indices)`, which gives, in graph, what `model.fit` takes of
            these examples.
        batch_size: int.
        num_epochs: int, passes over the examples.
        seed: int, of the order.

    Returns:
        A `tf.data.Dataset`; `num_batches` of its elements are a pass.
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
    # A batch takes far less time than a step. With a processor of one core,
    # autotuning would sleep for up to a minute when the last one is read.
    options = tf.data.Options()
    options.autotune.enabled = False
    return (
        tf.data.Dataset.from_tensor_slices(indices)
        .map(examples.batch)
        .prefetch(_BATCHES_AHEAD)
        .with_options(options)
    )


def num_batches(num_examples, batch_size):
    """Number of batches in a pass over the examples."""
    return -(-num_examples // batch_size)
