"""The measured points of a run, for programs and for TensorBoard."""

import json
import pathlib

from keras_bert.files import named_when_full
from keras_bert.files import whole_file
from keras_bert.training.summaries import ScalarWriter


class Curve:
    """Writes `metrics.jsonl`, a JSON object a line, and an event file.

    Args:
        directory: str, existing.
        step: int, the step that the run goes on from; what an earlier run
            wrote of later steps is dropped, for it comes again. -1 begins
            anew.
    """

    def __init__(self, directory, step):
        self._path = pathlib.Path(directory, "metrics.jsonl")
        lines = []
        if self._path.exists():
            lines = self._path.read_text(encoding="utf-8").splitlines()
        kept = [f"{line}\n" for line in lines if _step(line) <= step]
        with whole_file(self._path) as name:
            pathlib.Path(name).write_text("".join(kept), encoding="utf-8")
        self._writer = ScalarWriter(directory, step + 1)

    def add(self, step, split, metrics):
        """Adds a point.

        Args:
            step: int.
            split: "train" or "eval".
            metrics: dict of floats.
        """
        line = json.dumps({"step": step, "split": split, **metrics})
        with (
            named_when_full(self._path),
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
