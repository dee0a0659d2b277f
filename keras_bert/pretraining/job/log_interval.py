"""Metrics and speed between two log points."""

import contextlib
import time

from keras_bert.pretraining.objectives.terms import mean_metrics


class LogInterval:
    """Metric sums and elapsed time since the last log point.

    Args:
        start_step: int, first step of the interval.
        sums: dict of floats, sums of the metrics so far.
        seconds: float, elapsed time so far.
    """

    def __init__(self, start_step, sums=None, seconds=0.0):
        self._start_step = start_step
        self._sums = dict(sums or {})
        self._start = time.perf_counter() - seconds

    def add(self, sums):
        """Add the sums returned by `PretrainingLoop.train`, as floats."""
        for name, value in sums.items():
            self._sums[name] = self._sums.get(name, 0.0) + value

    @contextlib.contextmanager
    def paused(self):
        """Context manager that stops the clock, for example during an
        evaluation."""
        before = time.perf_counter()
        yield
        self._start += time.perf_counter() - before

    def state(self):
        """Return the constructor arguments as a JSON-serializable dict."""
        return {
            "start_step": self._start_step,
            "sums": self._sums,
            "seconds": self._seconds(),
        }

    def seconds_for(self, step, num_steps):
        """Estimate the seconds that `num_steps` will take."""
        return num_steps * self._seconds() / (step - self._start_step)

    def metrics(self, step, batch_size):
        """Return a dict of mean metrics, speed and skipped batches.

        Args:
            step: int, last step of the interval.
            batch_size: int, number of examples in a global batch.
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
