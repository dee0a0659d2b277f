"""How far a long computation is, in the log."""

import time

from absl import logging

_SECONDS_BETWEEN = 10


class Progress:
    """Logs every ten seconds how much is done and how long the rest takes.

    Args:
        total: int, how many there are.
        done: int, how many an earlier run has done.
        clock: function that gives seconds, for tests.
    """

    def __init__(self, total, done=0, clock=time.monotonic):
        self._total = total
        self._earlier = self._done = done
        self._clock = clock
        self._start = self._last = clock()

    def add(self, count):
        """Notes that so many more are done."""
        self._done += count
        now = self._clock()
        is_end = self._done >= self._total
        if now - self._last < _SECONDS_BETWEEN and not is_end:
            return
        self._last = now
        rate = (self._done - self._earlier) / max(now - self._start, 1e-6)
        logging.info(
            "%d of %d, %.0f a second, %.0f s left.",
            self._done,
            self._total,
            rate,
            (self._total - self._done) / rate,
        )
