"""Handler for SIGTERM and Ctrl-C that lets a run save its state."""

import os
import signal
import threading

_STDERR = 2
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_SHELL_OFFSET = 128  # Shells report 128 + signal number as exit code.
_MESSAGE = b"\nSaving after this step. Press Ctrl-C again to stop at once.\n"


class TerminationRequest:
    """Context manager that records SIGTERM and Ctrl-C for a later exit.

    A second Ctrl-C ends the process without saving.
    """

    def __init__(self):
        self._number = signal.SIGTERM
        self.is_made = False
        self._before = {}

    @property
    def exit_code(self):
        """Exit code of the process, 143 (SIGTERM) by default."""
        return _SHELL_OFFSET + self._number

    def __enter__(self):
        # Python handles signals only in the main thread.
        if threading.current_thread() is threading.main_thread():
            self._before = {
                number: signal.signal(number, self._handle)
                for number in _SIGNALS
            }
        return self

    def _handle(self, number, frame):
        self._number = number
        self.is_made = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.write(_STDERR, _MESSAGE)

    def __exit__(self, *error):
        for number, handler in self._before.items():
            signal.signal(number, handler)
