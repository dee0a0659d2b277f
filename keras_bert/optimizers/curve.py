"""The measured points of a run, for programs and for TensorBoard.

Scalars are written without TensorBoard being installed.
"""

import json
import os
import pathlib
import platform
import time

import tensorflow as tf

from keras_bert import artifacts

_Event = tf.compat.v1.Event


class Curve:
    """Writes `metrics.jsonl`, a JSON object a line, and an event file.

    Args:
        directory: str, existing.
        step: int, the step that the run goes on from. Later points of an
            earlier run are dropped, because they come again. -1 begins
            anew.
    """

    def __init__(self, directory, step):
        self._path = pathlib.Path(directory, "metrics.jsonl")
        lines = []
        if self._path.exists():
            lines = self._path.read_text(encoding="utf-8").splitlines()
        kept = [f"{line}\n" for line in lines if _step(line) <= step]
        artifacts.write_whole(self._path, "".join(kept))
        self._writer = ScalarWriter(directory, step + 1)

    def add(self, step, split, metrics):
        """Add metrics of a split, "train" or "eval"."""
        line = json.dumps({"step": step, "split": split, **metrics})
        with (
            artifacts.disk_full_names_file(self._path),
            open(self._path, "a", encoding="utf-8") as file,
        ):
            file.write(line + "\n")
        self._writer.write(
            step, {f"{split}/{name}": value for name, value in metrics.items()}
        )


def _step(line):
    try:
        return json.loads(line)["step"]
    except ValueError:  # Cut off by a kill.
        return float("inf")


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
        """Add a point to each curve, by name, and flush."""
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
