"""Sums and speed between two points of the curve of a run."""

import contextlib
import time

from keras_bert.pretraining.objectives.terms import mean_metrics


class LogInterval:
    """Sums and time of the steps since the last point of the curve.

    Args:
        start_step: int, the step at which it begins.
        sums: dict of floats, those so far.
        seconds: float, its time so far.
    """

    def __init__(self, start_step, sums=None, seconds=0.0):
        self._start_step = start_step
        self._sums = dict(sums or {})
        self._start = time.perf_counter() - seconds

    def add(self, sums):
        """Add sums of `PretrainingLoop.train`, as floats."""
        for name, value in sums.items():
            self._sums[name] = self._sums.get(name, 0.0) + value

    @contextlib.contextmanager
    def paused(self):
        """A context whose time does not count, because it is no training."""
        before = time.perf_counter()
        yield
        self._start += time.perf_counter() - before

    def about(self):
        """The arguments that make it again, as a dict for JSON."""
        return {
            "start_step": self._start_step,
            "sums": self._sums,
            "seconds": self._seconds(),
        }

    def seconds_for(self, step, num_steps):
        """Seconds that more steps take at the speed so far."""
        return num_steps * self._seconds() / (step - self._start_step)

    def metrics(self, step, batch_size):
        """Means, speed and, if there were any, the number of skipped batches.

        Args:
            step: int, the step at which it ends.
            batch_size: int, examples in a global batch.
        """
        seconds = self._seconds()
        num_examples = (step - self._start_step) * batch_size
        metrics = {
            **mean_metrics(self._sums),
            "examples_per_second": num_examples / seconds,
            "tokens_per_second": self._sums["tokens"] / seconds,
        }
        if self._sums["skipped_steps"]:
            metrics["skipped_steps"] = self._sums["skipped_steps"]
        return metrics

    def _seconds(self):
        return time.perf_counter() - self._start
