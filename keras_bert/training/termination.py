"""Stopping when asked to."""

import signal
import threading


class TerminationRequest:
    """Notes SIGTERM within a `with` block, so that a run can save first."""

    def __init__(self):
        self.is_made = False
        self._before = None

    def __enter__(self):
        # Signals are the main thread's alone.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, self._note)
        return self

    def _note(self, number, frame):
        self.is_made = True

    def __exit__(self, *error):
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)
