"""A stage of the demo at work, and what it has printed."""

import contextlib
import os
import re
import signal
import subprocess
import sys

_SECONDS_TO_STOP = 10
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*m|\x08")
_NOISE = re.compile(
    r"[IWE]0000 |WARNING: All log messages|INFO: Created Tensor|To enable the"
)
_LOG_PREFIX = re.compile(r"^[IWE]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] ")


@contextlib.contextmanager
def running(command, log):
    """A context in which a stage runs; it has ended after it.

    Args:
        command: list of str, a Python program and its flags.
        log: `pathlib.Path`, where all that it prints goes.

    Yields:
        The `subprocess.Popen`.
    """
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,  # Ctrl-C comes from `_end`, once.
        )
    try:
        yield process
    finally:
        _end(process)


def _end(process):
    """Ends a stage as Ctrl-C does; kills it if asked again or if it hangs."""
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(_SECONDS_TO_STOP)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def printed_lines(log):
    """What a stage printed, without terminal codes and log prefixes.

    Args:
        log: `pathlib.Path`.

    Returns:
        A list of str, at least one.
    """
    text = _TERMINAL_CODES.sub("", log.read_text(errors="replace"))
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", text)]
    shown = [line for line in lines if line and not _NOISE.match(line)]
    return [_LOG_PREFIX.sub("", line) for line in shown] or [""]
