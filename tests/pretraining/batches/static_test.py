import numpy as np
import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining import dataset as pretraining_dataset
from keras_bert.pretraining import (
    endless_dataset as endless_pretraining_dataset,
)
from keras_bert.pretraining.batches.static import padded_batches
from keras_bert.pretraining.records.encoding import serialize_examples

_SEQ_LENGTH, _NUM_PREDICTIONS, _VOCAB_SIZE = 16, 3, 30
_LENGTHS = {
    "max_seq_length": _SEQ_LENGTH,
    "max_predictions_per_seq": _NUM_PREDICTIONS,
}


def _examples(num_examples, seed=1):
    """Return arrays of random examples by name in the schema."""
    rng = np.random.default_rng(seed)
    values = {
        feature.name: rng.integers(
            0, 2, (num_examples, feature.num_values(_LENGTHS)), np.int32
        )
        for feature in features.PRETRAINING_FEATURES
    }
    ids = rng.integers(0, _VOCAB_SIZE, values["input_ids"].shape, np.int32)
    labels = rng.integers(0, _VOCAB_SIZE, (num_examples, _NUM_PREDICTIONS))
    values["input_ids"] = ids
    values["input_mask"][:] = 1
    values["masked_lm_ids"] = labels.astype(np.int32)
    values["masked_lm_weights"] = rng.random(
        labels.shape, np.float32
    )  # Any float32 must be preserved.
    return values


@pytest.fixture
def write(write_record_file):
    return write_record_file


def _serialize(values):
    return serialize_examples(values, features.PRETRAINING_FEATURES)


_ARGUMENTS = {"batch_size": 4, "vocab_size": _VOCAB_SIZE, **_LENGTHS}


def _dataset(paths, **changes):
    return pretraining_dataset(paths, **{**_ARGUMENTS, **changes})


def _endless(paths, **changes):
    arguments = {**_ARGUMENTS, "seed": 1, **changes}
    return endless_pretraining_dataset(paths, **arguments)


def _joined(dataset):
    """Return the input ids of one pass, as tuples in order."""
    return [
        tuple(row.tolist())
        for inputs, _, _ in dataset.as_numpy_iterator()
        for row in inputs["input_ids"]
    ]


def test_batches_fit_the_pretrainer(write):
    values = _examples(6)
    path = write("a", _serialize(values))
    batches = list(_dataset([path]).as_numpy_iterator())
    assert [len(inputs["input_ids"]) for inputs, _, _ in batches] == [4, 2]
    inputs, labels, weights = batches[0]
    assert list(inputs) == [
        "input_ids",
        "input_mask",
        "segment_ids",
        "masked_lm_positions",
    ]
    for name, array in inputs.items():
        assert array.dtype == np.int32
        np.testing.assert_array_equal(array, values[name][:4])
    assert sorted(labels) == sorted(weights) == ["mlm_logits", "nsp_logits"]
    for array, name in (
        (labels["mlm_logits"], "masked_lm_ids"),
        (labels["nsp_logits"], "next_sentence_labels"),
    ):
        assert array.dtype == np.int32
        expected = values[name][:4]
        np.testing.assert_array_equal(array, expected.reshape(array.shape))
    assert labels["nsp_logits"].shape == (4,)
    np.testing.assert_array_equal(
        weights["mlm_logits"], values["masked_lm_weights"][:4]
    )
    np.testing.assert_array_equal(weights["nsp_logits"], np.ones(4))
    assert {array.dtype for array in weights.values()} == {np.dtype("f4")}


@pytest.fixture
def three_files(write):
    return [
        write(name, _serialize(_examples(size, seed)))
        for seed, (name, size) in enumerate([("a", 21), ("b", 5), ("c", 34)])
    ]


def test_without_a_seed_each_pass_has_the_same_order(three_files):
    dataset = _dataset(three_files[:1])
    expected = _examples(21, 0)["input_ids"].tolist()
    assert _joined(dataset) == _joined(dataset) == list(map(tuple, expected))
    assert _joined(_dataset(three_files)) == _joined(_dataset(three_files))


def test_each_pass_has_every_example_once(three_files):
    expected = sorted(
        tuple(row)
        for seed, size in enumerate([21, 5, 34])
        for row in _examples(size, seed)["input_ids"].tolist()
    )
    for seed in (None, 1):
        dataset = _dataset(three_files, shuffle_seed=seed)
        assert sorted(_joined(dataset)) == expected
        assert sorted(_joined(dataset)) == expected


def test_a_seed_shuffles_each_pass_differently_and_repeatably(three_files):
    def passes(seed):
        dataset = _dataset(three_files, shuffle_seed=seed)
        return [_joined(dataset) for _ in range(2)]

    assert passes(1) == passes(1)
    first, second = passes(1)
    assert first != second
    assert first != _joined(_dataset(three_files))
    assert passes(1) != passes(2)


def test_endless_batches_are_whole_and_their_shapes_known(three_files):
    dataset = _endless(three_files, batch_size=7)
    specs = tf.nest.flatten(dataset.element_spec)
    assert {spec.shape[0] for spec in specs} == {7}
    assert all(spec.shape.is_fully_defined() for spec in specs)
    inputs, labels, weights = dataset.element_spec
    specs = *inputs.values(), *labels.values()
    assert {spec.dtype for spec in specs} == {tf.int32}
    assert {spec.dtype for spec in weights.values()} == {tf.float32}


def test_each_epoch_has_every_example_in_another_order(three_files):
    rows = _joined(_endless(three_files).take(45))
    epochs = [rows[:60], rows[60:120], rows[120:]]
    expected = sorted(_joined(_dataset(three_files)))
    assert [sorted(epoch) for epoch in epochs] == [expected] * 3
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]


def test_the_order_is_a_function_of_the_seed(three_files):
    streams = []
    for global_seed, seed in ((1, 1), (2, 1), (1, 2)):
        tf.random.set_seed(global_seed)
        streams.append(_joined(_endless(three_files, seed=seed).take(20)))
    assert streams[0] == streams[1] != streams[2]


@pytest.mark.parametrize("batch_size", [4, 7, 60])
def test_a_stream_goes_on_at_any_batch(three_files, batch_size):
    def stream(first_batch):
        return _endless(
            three_files, batch_size=batch_size, first_batch=first_batch
        )

    num_batches = 240 // batch_size
    expected = _joined(stream(0).take(num_batches))
    for first in (1, 60 // batch_size, num_batches - 2):
        rows = _joined(stream(first).take(num_batches - first))
        assert rows == expected[first * batch_size :]


def test_less_than_a_batch_is_an_error(three_files):
    assert len(_joined(_endless(three_files, batch_size=60).take(1))) == 60
    with pytest.raises(ValueError, match="60 records, batch_size=61"):
        _endless(three_files, batch_size=61)


def test_padding_fills_up_the_last_batch_with_weight_0(write):
    path = write("a", _serialize(_examples(10)))
    dataset = _dataset([path])
    padded = padded_batches(dataset, 4)
    assert {s.shape[0] for s in tf.nest.flatten(padded.element_spec)} == {4}
    batches = list(padded.as_numpy_iterator())
    assert [len(inputs["input_ids"]) for inputs, _, _ in batches] == [4] * 3
    for array in tf.nest.flatten(batches[-1]):
        assert not array[2:].any()


@pytest.mark.parametrize("name", ["input_ids", "masked_lm_ids"])
def test_an_id_beyond_the_vocabulary_in_a_later_record_is_an_error(write, name):
    values = _examples(9)
    values[name][7, 2] = _VOCAB_SIZE
    batches = iter(_dataset([write("a", _serialize(values))]))
    next(batches)
    message = f"`{name}` must be below `vocab_size`=30"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        next(batches)


def _changed(record, name, values=()):
    """Return a record with changed values of a feature, or without it."""
    example = tf.train.Example.FromString(record)
    if name in example.features.feature:
        del example.features.feature[name]
    if values:
        example.features.feature[name].int64_list.value.extend(values)
    return example.SerializeToString()


_FEATURE_NAMES = [feature.name for feature in features.PRETRAINING_FEATURES]


@pytest.mark.parametrize(
    ("name", "values", "options", "words"),
    [
        *((x, (), {}, f"feature `{x}`") for x in _FEATURE_NAMES),
        ("masked_lm_weights", (1, 1, 0), {}, "must be float32 .*int64_list"),
        ("input_ids", [30] * 16, {}, "`input_ids` must be below .*: 30"),
        ("masked_lm_ids", [30] * 3, {}, "`masked_lm_ids` must be below"),
        ("extra", (), {"max_seq_length": 17}, "`input_ids` must have 17 .*16"),
        ("extra", (), {"max_predictions_per_seq": 2}, "must have 2 .*: 3"),
    ],
)
def test_a_bad_first_record_is_named_and_a_later_one_an_error(
    write, name, values, options, words
):
    records = _serialize(_examples(9))
    bad = _changed(records[0], name, values)
    good = write("good", records)
    path = write("a", [bad, *records])
    with pytest.raises(
        ValueError, match=f"^{path}(:|, record 0 .*:) .*{words}"
    ):
        _dataset([path] if options else [good, path], **options)
    if not options:
        with pytest.raises(tf.errors.InvalidArgumentError, match=name):
            list(_dataset([write("b", [*records, bad])]))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "is not a valid TFRecord file"),
        (b"", "must contain records. The file is empty"),
        (b"some text, not a record\n" * 3, "is not a valid TFRecord file"),
        ([b"no example"], ", record 0 .*: it must be a tf.train.Example"),
    ],
)
def test_a_file_of_something_else_is_named(write, tmp_path, data, words):
    path = tmp_path / "a"
    if isinstance(data, bytes):
        path.write_bytes(data)
    elif data:
        write("a", data)
    with pytest.raises(ValueError, match=f"^{path},? ?{words}"):
        _dataset([str(path)])
    with pytest.raises(ValueError, match="must not be empty"):
        _dataset([])


def test_other_features_of_a_record_are_ignored(write):
    record = _serialize(_examples(1))[0]
    example = tf.train.Example.FromString(record)
    example.features.feature["extra"].int64_list.value.append(1)
    path = write("a", [example.SerializeToString()])
    assert _joined(_dataset([path])) == _joined(
        _dataset([write("b", [record])])
    )
