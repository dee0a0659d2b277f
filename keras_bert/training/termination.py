"""Stopping when asked to."""

import os
import signal
import socket
import threading

_STDERR = 2
_NUMBERS = (signal.SIGTERM, signal.SIGINT)
_SHELL_OFFSET = 128  # The exit code of a signal, as shells have it.
_STOPS = b"\nStops after this step and saves; Ctrl-C again stops at once.\n"
_STOPPED = b"\nStopped at once; what came after the last state is lost.\n"


class TerminationRequest:
    """Notes SIGTERM and Ctrl-C in a `with` block, so that a run saves first.

    A second Ctrl-C ends the process at once, also within a long step: Python
    calls its handlers only between steps, so a thread of its own looks at the
    signals as they come.
    """

    def __init__(self):
        self._number = signal.SIGTERM
        self.is_made = False
        self._before = {}

    @property
    def exit_code(self):
        """Exit code of the process; that of SIGTERM if there was no signal."""
        return _SHELL_OFFSET + self._number

    def __enter__(self):
        # Only the main thread takes signals.
        if threading.current_thread() is threading.main_thread():
            self._before = {
                number: signal.signal(number, self._note) for number in _NUMBERS
            }
            self._reading, self._writing = socket.socketpair()
            self._writing.setblocking(False)
            self._wakeup = signal.set_wakeup_fd(self._writing.fileno())
            self._watcher = threading.Thread(
                target=_watch, args=(self._reading,), daemon=True
            )
            self._watcher.start()
        return self

    def _note(self, number, frame):
        if not self.is_made:
            self._number = number
        self.is_made = True

    def __exit__(self, *error):
        if not self._before:
            return
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._writing.close()
        self._watcher.join()
        self._reading.close()


def _watch(reading):
    """Reads the numbers of the signals; ends when the other side closes."""
    interrupts = 0
    while data := reading.recv(1):
        if data[0] != signal.SIGINT:
            continue
        interrupts += 1
        # Not through a lock that the main thread may hold.
        os.write(_STDERR, _STOPS if interrupts == 1 else _STOPPED)
        if interrupts > 1:
            os._exit(_SHELL_OFFSET + signal.SIGINT)
