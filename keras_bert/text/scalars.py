"""Decorator for methods that take a batch of texts or a single text."""

import functools

import tensorflow as tf


def batch_or_scalar(method):
    """Decorator that makes a method for batches of texts accept a single text.

    Args:
        method: method that takes a string tensor `(batch_size,)` and returns
            tensors with `batch_size` rows.

    Returns:
        A method that also takes lists of str and single texts. For a str or a
        scalar tensor, it returns tensors without the batch dimension.
    """

    @functools.wraps(method)
    def call(self, texts):
        texts = tf.convert_to_tensor(texts, tf.string)
        if texts.shape.rank != 0:
            return method(self, texts)
        rows = method(self, texts[tf.newaxis])
        return tf.nest.map_structure(lambda row: row[0], rows)

    return call
