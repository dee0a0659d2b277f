"""Comparison of a TFLite file with the original model."""

import dataclasses
import time

import numpy as np

from keras_bert.export.quantization_comparison import LOST_LABELS
from keras_bert.export.quantization_comparison import keeps_labels

# Maximum absolute difference of outputs for each data type.
_TOLERANCES = {"float32": 1e-4, "float16": 1e-2}
# Minimum cosine similarity of int8 outputs without labels.
_MIN_COSINE = 0.99
_COMPRESSED = np.int8, np.uint8  # Dtypes of `compress_vectors`.


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Results of comparing a TFLite file with the original model.

    Args:
        num_texts: int, number of texts.
        greatest_difference: float, maximum absolute difference.
        cosine: float, cosine similarity of all outputs as one vector. For
            binary vectors, it is estimated from the share of equal bits.
        num_labels: int, number of discrete outputs (labels, offsets and
            tokens).
        num_equal_labels: int, number of equal discrete outputs.
        megabytes: float, size of the file.
        milliseconds: float, median time per text on one thread.
    """

    num_texts: int
    greatest_difference: float
    cosine: float
    num_labels: int
    num_equal_labels: int
    megabytes: float
    milliseconds: float

    def is_within(self, precision):
        """Return True if the file is close enough for a precision."""
        if precision in _TOLERANCES:
            is_close = self.greatest_difference <= _TOLERANCES[precision]
            return is_close and self.cosine >= _MIN_COSINE
        if not self.num_labels:
            return self.cosine >= _MIN_COSINE
        return keeps_labels(self.num_labels, self.num_equal_labels)

    def __str__(self):
        labels = (
            f"{self.num_equal_labels} of {self.num_labels} labels equal, "
            if self.num_labels
            else ""
        )
        return (
            f"{self.megabytes:.1f} MB, {self.milliseconds:.1f} ms a text on "
            f"one thread; on {self.num_texts} texts {labels}greatest "
            f"difference {self.greatest_difference:.2g}, cosine "
            f"{self.cosine:.5f}"
        )


def tolerance(precision):
    """Describe the tolerance for a precision, see `is_within`."""
    if precision in _TOLERANCES:
        return f"a maximum difference of {_TOLERANCES[precision]:g}"
    return (
        f"{LOST_LABELS:.0%} changed labels, or one; for outputs without "
        f"labels, a cosine of at least {_MIN_COSINE}"
    )


def compare(function, run, samples, num_bytes):
    """Compare a TFLite file with the graph function it was converted from.

    Args:
        function: `tf.function` returned by `text_function`.
        run: callable returned by `signature_runner`.
        samples: list of dicts of input arrays.
        num_bytes: int, size of the file.
    """
    run(**samples[0])  # The first call is slower.
    seconds, pairs = [], []
    for sample in samples:
        start = time.perf_counter()
        converted = run(**sample)
        seconds.append(time.perf_counter() - start)
        expected = function(*sample.values())
        for name in sorted(expected):
            pair = converted[name], expected[name].numpy()
            if name == "piece_ids":  # In the order of the weights.
                pair = [ids[:, :1] for ids in pair]
            pairs.append(pair)
    codes = [x for x in pairs if x[1].dtype in _COMPRESSED]
    pairs = [x for x in pairs if x[1].dtype not in _COMPRESSED]
    numbers = [x for x in pairs if x[1].dtype.kind == "f"]
    # Truncation (bool) does not depend on the weights.
    labels = [_labels(*x) for x in pairs if x[1].dtype.kind not in "bf"]
    converted, expected = _joined(numbers)
    return Comparison(
        len(samples),
        float(np.max(np.abs(converted - expected), initial=0)),
        _cosine(*_joined(codes or numbers)),
        sum(len(equal) for equal in labels),
        int(sum(np.sum(equal) for equal in labels)),
        num_bytes / 1e6,
        1e3 * float(np.median(seconds)),
    )


def _joined(pairs):
    """Concatenate all arrays of the file, and all expected arrays."""
    empty = np.zeros(0, pairs[0][1].dtype if pairs else float)
    return [
        np.concatenate([empty, *(np.ravel(x[side]) for x in pairs)])
        for side in range(2)
    ]


def _cosine(converted, expected):
    if expected.dtype == np.uint8:
        # Opposite vectors differ in all signs.
        return float(np.cos(np.pi * np.unpackbits(converted ^ expected).mean()))
    converted, expected = converted.astype(float), expected.astype(float)
    size = np.linalg.norm(converted) * np.linalg.norm(expected)
    return float(converted @ expected / size) if size else 1.0


def _labels(converted, expected):
    """Compare discrete outputs at the positions that have a label."""
    if expected.ndim == 3:  # Sorted by probability, as in fill-mask.
        converted, expected = converted[..., 0], expected[..., 0]
    if expected.dtype.kind == "O":
        converted = converted.astype(object)
        is_label = (expected != b"") | (converted != b"")
        return np.asarray(converted == expected)[is_label]
    return np.ravel(converted == expected)


def signature_runner(flatbuffer, has_text):
    """Return a function that runs a TFLite signature on one thread.

    The function takes and returns dicts of arrays.

    Args:
        flatbuffer: bytes, content of a TFLite file.
        has_text: bool, whether the file needs the ops of tensorflow-text.
    """
    from ai_edge_litert import interpreter as litert

    if not has_text:
        return litert.Interpreter(
            model_content=flatbuffer, num_threads=1
        ).get_signature_runner()
    import tensorflow_text as tf_text

    return litert.InterpreterWithCustomOps(
        model_content=flatbuffer,
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
        num_threads=1,
    ).get_signature_runner()
