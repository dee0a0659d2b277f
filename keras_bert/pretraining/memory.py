"""Whether a model can fit in memory, before it is made."""

import contextlib
import math
import pathlib

from keras_bert.checkpoints.weight_table import weight_shapes

# Weight, gradient and two moments, in float32.
_BYTES_EACH = 16
_CONTROL_GROUP = pathlib.Path("/sys/fs/cgroup")
_ACCELERATORS = ("nvidia[0-9]*", "accel*", "vfio/[0-9]*")


def check_fits(config, available=None):
    """Raises ValueError where training a model plainly cannot fit.

    Only weights, gradients and moments are counted, which a run needs at
    least. Nothing is said of what cannot be known: the memory of an
    accelerator, or of a system that does not tell.

    Args:
        config: a config of any family.
        available: int, bytes; those of this machine by default.
    """
    available = available or available_bytes()
    needed = _BYTES_EACH * num_parameters(config)
    if available is not None and needed > available:
        width, inner, depth, rows = (config.size_keys[x] for x in "HILV")
        raise ValueError(
            f"The model must fit in memory: smaller {width}, {inner}, {depth} "
            f"or {rows} are needed. "
            f"Received: {num_parameters(config) / 1e6:.0f} million weights, "
            f"which take {needed / 1e9:.1f} GB with gradients and moments; "
            f"{available / 1e9:.1f} GB are free."
        )


def num_parameters(config):
    """Weights of a model with all its parts.

    Args:
        config: a config of any family.

    Returns:
        int
    """
    return sum(map(math.prod, weight_shapes(config).values()))


def available_bytes():
    """Free memory of this machine; None where it cannot be known."""
    if any(
        any(pathlib.Path("/dev").glob(pattern)) for pattern in _ACCELERATORS
    ):
        return None
    try:
        text = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:  # Not Linux.
        return None
    kibibytes = {
        line.partition(":")[0]: int(line.split()[1])
        for line in text.splitlines()
    }
    free = kibibytes.get("MemAvailable", 0) + kibibytes.get("SwapFree", 0)
    limits = [1024 * free] if free else []
    with contextlib.suppress(OSError, ValueError, KeyError):  # No limit.
        limit = int((_CONTROL_GROUP / "memory.max").read_text())
        used = int((_CONTROL_GROUP / "memory.current").read_text())
        cached = _cached_bytes((_CONTROL_GROUP / "memory.stat").read_text())
        limits.append(limit - used + cached)
    return min(limits, default=None)


def _cached_bytes(text):
    """Of the files read before, which the group gives up when asked."""
    values = dict(line.split() for line in text.splitlines())
    return int(values["active_file"]) + int(values["inactive_file"])
