"""One text where a batch of texts is expected."""

import functools

import tensorflow as tf


def batch_or_scalar(method):
    """Let a method of a batch of texts take one text as well.

    Args:
        method: method that takes a string tensor `(batch_size,)` and returns
            tensors with as many rows.

    Returns:
        A method that also takes lists of str, and a str or a scalar tensor,
        and then returns the only row of each tensor.
    """

    @functools.wraps(method)
    def call(self, texts):
        texts = tf.convert_to_tensor(texts, tf.string)
        if texts.shape.rank != 0:
            return method(self, texts)
        rows = method(self, texts[tf.newaxis])
        return tf.nest.map_structure(lambda row: row[0], rows)

    return call
