import numpy as np
import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining.records.encoding import serialize_examples
from keras_bert.pretraining.records.record_form import parse_examples

# Both sides of the limits between one, two, three and four bytes.
_BORDERS = [0, 1, 127, 128, 16383, 16384, 2097151, 2097152, (1 << 28) - 1]


def _values(make_ints, num_examples, seq_length, num_predictions, seed=1):
    rng = np.random.default_rng(seed)
    lengths = {
        "max_seq_length": seq_length,
        "max_predictions_per_seq": num_predictions,
    }
    values = {}
    for feature in features.PRETRAINING_FEATURES:
        shape = num_examples, feature.num_values(lengths)
        if feature.dtype == "float32":
            values[feature.name] = rng.normal(size=shape).astype(np.float32)
        else:
            values[feature.name] = make_ints(rng, shape).astype(np.int32)
    return values


def _parse(serialized):
    """Parse with tf.train.Example to a dict of lists of lists."""
    parsed = {feature.name: [] for feature in features.PRETRAINING_FEATURES}
    for record in serialized:
        example = tf.train.Example.FromString(record)
        assert set(example.features.feature) == set(parsed)
        for feature in features.PRETRAINING_FEATURES:
            value = example.features.feature[feature.name]
            is_float = feature.dtype == "float32"
            kind = "float_list" if is_float else "int64_list"
            assert value.WhichOneof("kind") == kind
            parsed[feature.name].append(list(getattr(value, kind).value))
    return parsed


def _assert_parses(values):
    serialized = serialize_examples(values, features.PRETRAINING_FEATURES)
    assert all(isinstance(record, bytes) for record in serialized)
    parsed = _parse(serialized)
    for name, array in values.items():
        assert parsed[name] == array.tolist(), name
    lengths = {
        feature.length: values[feature.name].shape[1]
        for feature in features.PRETRAINING_FEATURES
    }
    parsed = parse_examples(serialized, features.PRETRAINING_FEATURES, lengths)
    for name, tensor in parsed.items():
        np.testing.assert_array_equal(tensor, values[name])


def test_numbers_of_all_sizes_mix_in_a_record():
    _assert_parses(
        _values(lambda rng, shape: rng.choice(_BORDERS, shape), 9, 40, 7)
    )


@pytest.mark.parametrize("seed", range(15))
def test_random_examples_are_read_back(seed):
    rng = np.random.default_rng(seed)
    bits = int(rng.integers(1, 31))
    _assert_parses(
        _values(
            lambda rng, shape: rng.integers(0, 1 << bits, shape),
            num_examples=int(rng.integers(1, 20)),
            seq_length=int(rng.integers(1, 300)),
            num_predictions=int(rng.integers(1, 50)),
            seed=seed,
        )
    )


def test_records_longer_than_two_length_bytes_are_read_back():
    _assert_parses(
        _values(lambda rng, shape: rng.integers(0, 1 << 30, shape), 3, 6000, 9)
    )


def test_bytes_are_those_of_the_protocol_buffer_library():
    values = _values(lambda rng, shape: rng.integers(0, 40_000, shape), 4, 9, 3)
    expected = []
    for row in range(4):
        example = tf.train.Example()
        for feature in features.PRETRAINING_FEATURES:
            is_float = feature.dtype == "float32"
            value = example.features.feature[feature.name]
            target = value.float_list if is_float else value.int64_list
            target.value.extend(values[feature.name][row].tolist())
        expected.append(example)
    serialized = serialize_examples(values, features.PRETRAINING_FEATURES)
    for record, example in zip(serialized, expected):
        assert len(record) == len(example.SerializeToString())
        assert tf.train.Example.FromString(record) == example


def test_rows_of_different_lengths_are_written_without_padding():
    rng = np.random.default_rng(3)
    num_tokens = np.array([1, 40, 7, 2, 39])
    values = {
        "input_ids": rng.choice(_BORDERS, (5, 40)),
        "word_starts": rng.integers(0, 2, (5, 40)),
        "segment_boundary": rng.choice(_BORDERS, (5, 1)),
        "next_sentence_labels": rng.integers(0, 2, (5, 1)),
    }
    serialized = serialize_examples(
        values, features.DYNAMIC_FEATURES, num_tokens
    )
    for row, record in enumerate(serialized):
        example = tf.train.Example()
        for feature in features.DYNAMIC_FEATURES:
            data = values[feature.name][row]
            if feature.length == "num_tokens":
                data = data[: num_tokens[row]]
            target = example.features.feature[feature.name].int64_list
            target.value.extend(data.tolist())
        assert len(record) == len(example.SerializeToString())
        assert tf.train.Example.FromString(record) == example
