"""Allowed values for the options of a run."""

DECAYS = ("linear", "polynomial", "cosine", "wsd")
MASKINGS = ("static", "dynamic")
ON_NAN = ("stop", "skip")
OPTIMIZERS = ("adamw", "lamb", "stable_adamw")
PRECISIONS = ("auto", "float32", "mixed_bfloat16", "mixed_float16")
STRATEGIES = ("one_device", "mirrored", "multi_worker", "tpu")
