"""The number format of the matrix products of a run."""

import pathlib

import tensorflow as tf

# Since NVIDIA's Ampere.
_FIRST_CAPABILITY = (8, 0)
_PROCESSOR_FLAGS = {"avx512_bf16", "amx_bf16"}


def dtype_policy(precision):
    """The Keras dtype policy of one of `choices.PRECISIONS`.

    "auto" is mixed_bfloat16 where the hardware multiplies bfloat16, float32
    elsewhere.
    """
    if precision != "auto":
        return precision
    return "mixed_bfloat16" if _multiplies_bfloat16() else "float32"


def _multiplies_bfloat16():
    if tf.config.list_logical_devices("TPU"):
        return True
    gpus = tf.config.list_physical_devices("GPU")
    if gpus:
        details = tf.config.experimental.get_device_details(gpus[0])
        return details.get("compute_capability", (0, 0)) >= _FIRST_CAPABILITY
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # Not Linux.
        return False
    return bool(_PROCESSOR_FLAGS & {*text.split()})
