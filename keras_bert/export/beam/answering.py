"""A SavedModel on the workers of a pipeline."""

import collections
import json

import apache_beam as beam
import tensorflow as tf
import tensorflow_text  # noqa: F401, the ops of the tokenizer
from apache_beam.utils import shared

_SIGNATURE = "serving_default"


def text_ranks(model_dir):
    """What strings a SavedModel takes.

    Args:
        model_dir: str.

    Returns:
        A dict from names to ranks: 1 of a text a row, 2 of several.

    Raises:
        ValueError: it is no SavedModel with a signature `serving_default` of
            strings.
    """
    model = _load(model_dir)
    _, inputs = model.signatures[_SIGNATURE].structured_input_signature
    if any(tensor.dtype != tf.string for tensor in inputs.values()):
        raise ValueError(
            f"The signature {_SIGNATURE} of {model_dir} must take strings "
            f"only. Received: {', '.join(inputs)}."
        )
    return {name: tensor.shape.rank for name, tensor in inputs.items()}


class Answer(beam.DoFn):
    """Lists of rows to lines of JSON.

    A worker's threads share one model, which is loaded when the first starts.

    Args:
        model_dir: str, a SavedModel that all workers see.
        names: list of str, what the texts of a row are to the model.
    """

    def __init__(self, model_dir, names):
        self._model_dir = model_dir
        self._names = names
        self._shared = shared.Shared()

    def setup(self):
        self._model = self._shared.acquire(lambda: _load(self._model_dir))

    def process(self, rows):
        alike = collections.defaultdict(list)
        for row in rows:
            # Rows of as many choices make a tensor.
            alike[tuple(map(_length, row[1]))].append(row)
        for group in alike.values():
            yield from self._lines(group)

    def _lines(self, rows):
        keys, texts = zip(*rows)
        columns = map(tf.constant, map(list, zip(*texts)))
        answer = self._model.signatures[_SIGNATURE]
        outputs = answer(**dict(zip(self._names, columns)))
        plain = {name: _plain(values) for name, values in outputs.items()}
        for index, (path, line) in enumerate(keys):
            prediction = {name: x[index] for name, x in plain.items()}
            values = {"file": path, "line": line, "prediction": prediction}
            yield json.dumps(values, ensure_ascii=False)


def _load(model_dir):
    try:
        model = tf.saved_model.load(model_dir)
    except OSError as error:
        raise ValueError(
            f"{model_dir} must be a SavedModel. Received: {error}."
        ) from None
    if _SIGNATURE not in model.signatures:
        raise ValueError(
            f"{model_dir} must have the signature {_SIGNATURE}. Received: "
            f"{', '.join(model.signatures) or 'none'}."
        )
    return model


def _length(text):
    return None if isinstance(text, str) else len(text)


def _plain(values):
    """A tensor as lists of what JSON can hold, row by row."""
    array = values.numpy()
    if array.dtype == object:
        return _decoded(array.tolist())
    return array.tolist()


def _decoded(value):
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    return value.decode("utf-8", "replace")
