"""Scalars for TensorBoard, written without having TensorBoard installed."""

import tensorflow as tf


class ScalarWriter:
    """Writes an event file that TensorBoard shows as curves.

    `tf.summary.scalar` is part of TensorBoard; `tf.summary.write` is not.

    Args:
        directory: str, where the event file is made.
    """

    def __init__(self, directory):
        self._writer = tf.summary.create_file_writer(str(directory))
        self._metadata = tf.compat.v1.SummaryMetadata()
        self._metadata.plugin_data.plugin_name = "scalars"

    def write(self, step, values):
        """Adds a point to each curve and flushes.

        Args:
            step: int.
            values: dict of floats by curve name.
        """
        with self._writer.as_default():
            for name, value in values.items():
                tf.summary.write(
                    name,
                    tf.constant(value, tf.float32),
                    step=step,
                    metadata=self._metadata,
                )
        self._writer.flush()

    def close(self):
        self._writer.close()
