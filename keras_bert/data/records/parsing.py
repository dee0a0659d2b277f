"""Serialized examples to tensors, by the schema."""

import tensorflow as tf


def parse_examples(serialized, schema, lengths):
    """Parses a batch, eagerly or in a tf.data graph.

    Args:
        serialized: string `(batch_size,)`, a `tf.train.Example` each.
        schema: tuple of `features.Feature`.
        lengths: dict of int, what the names of lengths in the schema mean.

    Returns:
        A dict by name: tensors `(batch_size, length)`; of what has another
        length in each record, `tf.RaggedTensor`s of int64 row splits.
    """
    return tf.io.parse_example(
        serialized,
        {feature.name: _spec(feature, lengths) for feature in schema},
    )


def _spec(feature, lengths):
    num_values = feature.num_values(lengths)
    if num_values is None:
        return tf.io.RaggedFeature(feature.dtype, row_splits_dtype=tf.int64)
    return tf.io.FixedLenFeature([num_values], feature.dtype)
