"""Graph functions to TFLite's flatbuffers, in float or in int8."""

import contextlib
import warnings

import tensorflow as tf


def convert(function, model, kind, samples=()):
    """Converts a function.

    Args:
        function: as of `text_function`.
        model: `keras.Model` that it runs.
        kind: str, as of `export_tflite`. "int8" finds the scales of what it
            multiplies as it runs; "full_int8" has them from samples.
        samples: list of dicts of arrays, inputs of the function, for
            "full_int8".

    Returns:
        bytes

    Raises:
        ValueError: the graph cannot be converted.
    """
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function()], model
    )
    # Those that TFLite has not are let through here, for the error of
    # `check_operators` names them.
    converter.allow_custom_ops = True
    if kind != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if kind == "full_int8":
        converter.representative_dataset = lambda: iter(samples)
    with _without_its_own_warnings():
        try:
            return converter.convert()
        except tf.errors.OpError as error:
            raise _unconvertible(kind, error) from error


def _unconvertible(kind, error):
    first = f"{error}".strip().splitlines()[0]
    return ValueError(
        f"TFLite cannot hold this model as {kind}. Received: {first}"
    )


@contextlib.contextmanager
def _without_its_own_warnings():
    """TensorFlow runs the samples in an interpreter that it has deprecated."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*Warning: tf.lite.Interpreter")
        yield
