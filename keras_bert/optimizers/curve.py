"""Metrics of a run as JSON lines and TensorBoard event files.

TensorBoard does not need to be installed.
"""

import json
import os
import pathlib
import platform
import time

import tensorflow as tf

from keras_bert.files.atomic import disk_full_names_file
from keras_bert.files.atomic import write_whole

_Event = tf.compat.v1.Event


class Curve:
    """Writer for the metrics of a run (JSON lines and TensorBoard events).

    Args:
        directory: str, an existing directory.
        step: int, step from which the run resumes. Later points of an earlier
            run are dropped, because they are computed again. Use -1 to drop all
            points.
    """

    def __init__(self, directory, step):
        self._path = pathlib.Path(directory, "metrics.jsonl")
        lines = []
        if self._path.exists():
            lines = self._path.read_text(encoding="utf-8").splitlines()
        kept = [f"{line}\n" for line in lines if _step(line) <= step]
        write_whole(self._path, "".join(kept))
        self._writer = ScalarWriter(directory, step + 1)

    def add(self, step, split, metrics):
        """Write the metrics of a split, "train" or "eval"."""
        line = json.dumps({"step": step, "split": split, **metrics})
        with (
            disk_full_names_file(self._path),
            open(self._path, "a", encoding="utf-8", newline="\n") as file,
        ):
            file.write(line + "\n")
        self._writer.write(
            step, {f"{split}/{name}": value for name, value in metrics.items()}
        )


def _step(line):
    try:
        return json.loads(line)["step"]
    except ValueError:  # Incomplete line of a killed run.
        return float("inf")


class ScalarWriter:
    """Writer for a TensorBoard event file with scalars.

    Args:
        directory: str, directory of the event file.
        first_step: int. TensorBoard drops points of earlier event files from
            this step on.
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
        """Write a dict of scalars and flush the file."""
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
