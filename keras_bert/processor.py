"""Instruction sets of the processor."""

import pathlib
import re

_CPU_INFO = pathlib.Path("/proc/cpuinfo")


def processor_flags():
    """Return the names of the instruction sets of an x86 processor.

    Returns:
        A set of str, as in /proc/cpuinfo, or None if they are unknown.
    """
    try:
        text = _CPU_INFO.read_text(encoding="utf-8")
    except OSError:  # The system is not Linux.
        return None
    flags = re.search(r"^flags\s*:(.*)", text, re.MULTILINE)
    return {*flags[1].split()} if flags else None
