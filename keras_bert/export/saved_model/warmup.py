"""Warm-up requests for SavedModels in TensorFlow Serving.

The first request of each shape is slow, because TensorFlow prepares its graph.
TensorFlow Serving therefore runs requests from a file in the SavedModel, a
TFRecord of `PredictionLog` messages, before it marks a version as ready.

References:
    [Warm-up](https://www.tensorflow.org/tfx/serving/saved_model_warmup),
    [protocol buffer encoding](
    https://protobuf.dev/programming-guides/encoding/)
"""

import pathlib

import tensorflow as tf

from keras_bert.files.atomic import atomic_file
from keras_bert.files.tfrecord import write_records

WARMUP_FILE = "assets.extra/tf_serving_warmup_requests"
_SHORTEST = 16
# Required fields of tensorflow_serving/apis: PredictionLog, PredictLog,
# PredictRequest with a map from names to tensors, ModelSpec.
_PREDICT_LOG, _REQUEST = 6, 1
_MODEL_SPEC, _INPUTS, _KEY, _VALUE = 1, 2, 1, 2
_SIGNATURE_NAME = 3


def write_warmup_requests(version_directory, requests):
    """Write the warm-up requests of a SavedModel.

    Requests are dicts mapping the inputs of `serving_default` to arrays or
    lists of values. A server does not load a model with a failing request, or
    with more than 1000 requests.
    """
    path = pathlib.Path(version_directory, WARMUP_FILE)
    path.parent.mkdir(exist_ok=True)
    logs = [_prediction_log(request) for request in requests]
    with atomic_file(path) as temporary, open(temporary, "wb") as file:
        write_records(file, logs)


def example_requests(task):
    """Return warm-up requests with different lengths for a task.

    The lengths are 16 tokens, 32 tokens and so on, up to the maximum length.
    For each length, there is a request with 1 row and a request with 8 rows.
    """
    longest = task.preprocess.seq_length
    lengths = {
        min(_SHORTEST << power, longest)
        for power in range(longest.bit_length())
    }
    return [
        {
            name: _values(task, name, length, batch_size)
            for name in task.text_inputs
        }
        for length in sorted(lengths)
        for batch_size in (1, 8)
    ]


def _values(task, name, length, batch_size):
    """Return texts for an input. Only the texts for the last input are long."""
    text = "a"
    if name == task.text_inputs[-1]:
        # A mask, and as many words as fit with the special tokens.
        mask = task.preprocess.tokenizer.vocabulary.roles.get("mask", "a")
        text = " ".join([mask] + ["a"] * max(length - 8, 1))
    rank = len(task.text_shapes.get(name, [None]))
    row = [text, text] if rank == 2 else text
    return [row] * batch_size


def _prediction_log(inputs):
    """Encode one request as a `PredictionLog`."""
    request = _field(
        _MODEL_SPEC, _field(_SIGNATURE_NAME, b"serving_default")
    ) + b"".join(
        _field(_INPUTS, _field(_KEY, name.encode()) + _field(_VALUE, tensor))
        for name, tensor in _tensors(inputs)
    )
    return _field(_PREDICT_LOG, _field(_REQUEST, request))


def _tensors(inputs):
    for name, values in inputs.items():
        yield name, tf.make_tensor_proto(values).SerializeToString()


def _field(number, data):
    """Encode a length-delimited field with a number below 16."""
    length = len(data)
    digits = bytearray([number << 3 | 2])
    while length > 0x7F:
        digits.append(length & 0x7F | 0x80)
        length >>= 7
    digits.append(length)
    return bytes(digits) + data
