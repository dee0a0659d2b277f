"""Dtype policy of a run."""

import tensorflow as tf

from keras_bert.processor import processor_flags

# Compute capability of NVIDIA Ampere, the first with bfloat16.
_FIRST_CAPABILITY = (8, 0)
_PROCESSOR_FLAGS = {"avx512_bf16", "amx_bf16"}


def dtype_policy(precision):
    """Return the Keras dtype policy for one of `choices.PRECISIONS`.

    "auto" is mixed_bfloat16 if the hardware supports bfloat16, else float32.
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
    return bool(_PROCESSOR_FLAGS & (processor_flags() or set()))
