"""Whole processes, measured from outside."""

import os
import subprocess
import time


def run(command, core=None):
    """Runs a command and measures it.

    Args:
        command: list of str.
        core: int, the one processor that it may use; None for all.

    Returns:
        Seconds (float) and the peak memory of the largest of its processes
        in MiB (float).

    Raises:
        subprocess.CalledProcessError: it failed; what it printed is shown.
    """
    pin = None if core is None else lambda: os.sched_setaffinity(0, {core})
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        preexec_fn=pin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        print(output.decode(errors="replace")[-3000:])
        raise subprocess.CalledProcessError(status, command)
    return seconds, usage.ru_maxrss / 1024


def median(values):
    """The middle of values, the upper of two."""
    return sorted(values)[len(values) // 2]


def output(command):
    """The last line that a command prints.

    Args:
        command: list of str.

    Raises:
        subprocess.CalledProcessError: it failed; what it printed is shown.
    """
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode:
        print(finished.stdout[-3000:], finished.stderr[-3000:])
        finished.check_returncode()
    lines = finished.stdout.strip().splitlines()
    return lines[-1] if lines else ""
