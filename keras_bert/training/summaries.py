"""Scalars for TensorBoard, written without having TensorBoard installed."""

import os
import pathlib
import platform
import time

import tensorflow as tf

_Event = tf.compat.v1.Event


class ScalarWriter:
    """Writes an event file that TensorBoard shows as curves.

    Args:
        directory: str, where the event file is made.
        first_step: int. TensorBoard drops what earlier event files in the
            directory have of this step and later ones.
    """

    def __init__(self, directory, first_step):
        name = f"events.out.tfevents.{time.time_ns()}.{platform.node()}"
        path = pathlib.Path(directory, f"{name}.{os.getpid()}")
        self._file = tf.io.TFRecordWriter(str(path))
        start = tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START)
        self._write(_Event(file_version="brain.Event:2"))
        self._write(_Event(step=first_step, session_log=start))
        self._file.flush()

    def write(self, step, values):
        """Adds a point to each curve and flushes.

        Args:
            step: int.
            values: dict of floats by curve name.
        """
        event = _Event(step=step)
        for name, value in values.items():
            point = event.summary.value.add(
                tag=name, tensor=tf.make_tensor_proto(value, tf.float32)
            )
            point.metadata.plugin_data.plugin_name = "scalars"
        self._write(event)
        self._file.flush()

    def _write(self, event):
        event.wall_time = time.time()
        self._file.write(event.SerializeToString())
