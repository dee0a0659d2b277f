import numpy as np
import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining.records.encoding import serialize_examples
from keras_bert.pretraining.records.record_form import parse_examples

# Both sides of the limits between one, two, three and four bytes.
_BORDERS = [0, 1, 127, 128, 16383, 16384, 2097151, 2097152, (1 << 28) - 1]


def random_values(schema, num_examples, draw, **lengths):
    """Return arrays of random examples; `draw` takes the shape of integers."""
    values = {}
    for feature in schema:
        length = feature.num_values(lengths) or lengths["num_tokens"]
        shape = num_examples, length
        values[feature.name] = draw(shape).astype(np.int32)
        if feature.dtype == "float32":
            numbers = np.random.default_rng(1).normal(size=shape)
            values[feature.name] = numbers.astype(np.float32)
    return values


def _check_bytes(schema, values, num_tokens=None):
    """Compare with records of the protocol buffer library."""
    records = serialize_examples(values, schema, num_tokens)
    for row, record in enumerate(records):
        example = tf.train.Example()
        for feature in schema:
            data = values[feature.name][row]
            if feature.length == "num_tokens":
                data = data[: num_tokens[row]]
            target = example.features.feature[feature.name]
            is_float = feature.dtype == "float32"
            target = target.float_list if is_float else target.int64_list
            target.value.extend(data.tolist())
        assert len(record) == len(example.SerializeToString())
        assert tf.train.Example.FromString(record) == example
    return records


@pytest.mark.parametrize(
    ("bits", "num_examples", "seq_length", "num_predictions"),
    [
        (None, 9, 40, 7),
        (1, 1, 1, 1),
        (7, 4, 9, 3),
        (16, 19, 299, 49),
        (30, 3, 6000, 9),  # Longer than two length bytes.
    ],
)
def test_bytes_are_those_of_the_protocol_buffer_library(
    bits, num_examples, seq_length, num_predictions
):
    rng = np.random.default_rng(num_examples)
    integers = _BORDERS if bits is None else 1 << bits
    lengths = {
        "max_seq_length": seq_length,
        "max_predictions_per_seq": num_predictions,
    }
    schema = features.PRETRAINING_FEATURES
    values = random_values(
        schema,
        num_examples,
        lambda shape: rng.choice(integers, shape),
        **lengths,
    )
    records = _check_bytes(schema, values)
    for name, tensor in parse_examples(records, schema, lengths).items():
        np.testing.assert_array_equal(tensor, values[name])


def test_rows_of_different_lengths_are_written_without_padding():
    rng = np.random.default_rng(3)
    schema, lengths = features.DYNAMIC_FEATURES, {"num_tokens": 40}
    values = random_values(
        schema, 5, lambda shape: rng.choice(_BORDERS, shape), **lengths
    )
    _check_bytes(schema, values, np.array([1, 40, 7, 2, 39]))
