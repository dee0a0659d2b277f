"""Comparison of exported models with their tasks at two lengths."""

import numpy as np
import tensorflow as tf

from keras_bert.export.samples import id_samples
from keras_bert.export.samples import long_columns

# Maximum difference, relative to the largest output if that is above 1.
_TOLERANCES = {"float32": 1e-4, "float16": 1e-2}
_LONGEST = 512


def check_lengths(samples, run, expected, precision="float32"):
    """Compare an exported model with its task at several lengths.

    Args:
        samples: list of dicts of input arrays, such as `length_samples(task)`.
        run: callable that takes `samples` and returns a list of dicts of output
            arrays.
        expected: callable that takes a dict of tensors and returns the outputs
            of the task, a dict of tensors.
        precision: str, number format of the weights: "float32" or "float16".
            For others, only the shapes are compared.

    Raises:
        ValueError: the exported model fails or its outputs differ.
    """
    shapes = [next(iter(sample.values())).shape for sample in samples]
    try:
        outputs = run(samples)
    except Exception as error:
        raise ValueError(
            "An exported model must compute the outputs of its task. Received: "
            f"an error for inputs of shape {shapes}: {error}"
        ) from error
    for sample, shape, exported in zip(samples, shapes, outputs, strict=True):
        with tf.device("CPU"):  # A GPU would compute in TF32.
            wanted = expected({k: tf.constant(x) for k, x in sample.items()})
        for name, values in exported.items():
            difference = _difference(values, wanted[name].numpy())
            if not difference <= _TOLERANCES.get(precision, np.inf):
                raise ValueError(
                    "An exported model must compute the outputs of its task. "
                    f"Received: a difference of {difference:.2g} in {name} for "
                    f"inputs of shape {shape}. Export to another format."
                )


def length_samples(task, samples=id_samples):
    """Return the model inputs of two tokens and of a long text.

    The long text has an odd number of tokens. If the task allows it, it has one
    token more than 512 and than the full attention of all blocks. There,
    attention is computed in blocks of tokens, and the last one is not full.

    Args:
        task: a `Task`.
        samples: callable that converts a task and text columns to inputs.
            Strings have no tokens, so that both inputs are the long text.
    """
    blocks = task.pretrained.backbone.blocks
    layers = [getattr(block, "self_attention", None) for block in blocks]
    limits = [getattr(layer, "max_full_length", None) for layer in layers]
    longest = max([_LONGEST, *filter(None, limits)]) + 1
    sample = samples(task, long_columns(task, longest))[0]
    size = min(longest, task.preprocess.seq_length)
    return [
        {name: x[..., :length] for name, x in sample.items()}
        for length in (2, size - (size + 1) % 2)
    ]


def _difference(values, expected):
    """Return the maximum relative difference, or NaN for other shapes."""
    values, expected = _equally_wide(values, expected)
    if values.shape != expected.shape:
        return np.nan
    if expected.dtype.kind != "f":
        return 0.0
    scale = np.max(np.abs(expected), initial=1.0)
    return np.max(np.abs(values - expected), initial=0.0) / scale


def _equally_wide(values, expected):
    """Pad the last axis of two arrays with 0 to the same size.

    A sparse embedder returns the active weights. A weight near 0 may be active
    in only one of two models.
    """
    width = max(values.shape[-1], expected.shape[-1])
    return [
        np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, width - x.shape[-1])])
        for x in (values, expected)
    ]
