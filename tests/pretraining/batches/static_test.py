import functools

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
from tests.pretraining.records.encoding_test import random_values

_SEQ_LENGTH, _NUM_PREDICTIONS, _VOCAB_SIZE = 16, 3, 30
_LENGTHS = {
    "max_seq_length": _SEQ_LENGTH,
    "max_predictions_per_seq": _NUM_PREDICTIONS,
}
_ARGUMENTS = {"batch_size": 4, "vocab_size": _VOCAB_SIZE, **_LENGTHS}


def _examples(num_examples, seed=1):
    """Return arrays of random examples by name in the schema."""
    draw = functools.partial(np.random.default_rng(seed).integers, _VOCAB_SIZE)
    return random_values(
        features.PRETRAINING_FEATURES,
        num_examples,
        lambda shape: draw(size=shape),
        **_LENGTHS,
    )


def _serialize(values):
    return serialize_examples(values, features.PRETRAINING_FEATURES)


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


def test_batches_fit_the_pretrainer(write_record_file):
    values = _examples(6)
    path = write_record_file("a", _serialize(values))
    first, last = _dataset([path]).as_numpy_iterator()
    inputs, labels, weights = first
    names = ["input_ids", "input_mask", "segment_ids", "masked_lm_positions"]
    assert list(inputs) == names
    assert {*labels} == {*weights} == {"mlm_logits", "nsp_logits"}
    values["ones"] = np.ones(6, "float32")
    values["next"] = values["next_sentence_labels"][:, 0]
    for array, name in (
        *((inputs[name], name) for name in names),
        (labels["mlm_logits"], "masked_lm_ids"),
        (labels["nsp_logits"], "next"),
        (weights["mlm_logits"], "masked_lm_weights"),
        (weights["nsp_logits"], "ones"),
    ):
        assert array.dtype == values[name].dtype
        np.testing.assert_array_equal(array, values[name][:4])
    assert len(last[0]["input_ids"]) == 2
    # With padding to whole batches, the added examples are zeros.
    _, last = padded_batches(_dataset([path]), 4)
    for array in tf.nest.flatten(last):
        assert array.shape[0] == 4
        assert not array[2:].numpy().any()


@pytest.fixture
def three_files(write_record_file):
    return [
        write_record_file(name, _serialize(_examples(size, seed)))
        for seed, (name, size) in enumerate([("a", 21), ("b", 5), ("c", 34)])
    ]


def test_each_pass_has_every_example_once(three_files):
    examples = [
        _examples(size, seed)["input_ids"].tolist()
        for seed, size in enumerate([21, 5, 34])
    ]
    in_order = _dataset(three_files)
    assert _joined(_dataset(three_files[:1])) == [*map(tuple, examples[0])]
    expected = _joined(in_order)
    assert _joined(in_order) == expected
    assert sorted(expected) == sorted(map(tuple, sum(examples, [])))
    shuffled, again, other = (
        _dataset(three_files, shuffle_seed=seed) for seed in (1, 1, 2)
    )
    passes = [_joined(shuffled), _joined(shuffled)]
    assert passes == [_joined(again), _joined(again)]
    orders = [expected, *passes, _joined(other)]
    assert len({*map(tuple, orders)}) == 4
    assert all(sorted(order) == sorted(expected) for order in orders)


def test_endless_batches_are_whole_and_each_epoch_has_another_order(
    three_files,
):
    dataset = _endless(three_files)
    for spec in tf.nest.flatten(dataset.element_spec):
        assert spec.shape.is_fully_defined() and spec.shape[0] == 4
    rows = _joined(dataset.take(45))
    epochs = [rows[:60], rows[60:120], rows[120:]]
    expected = sorted(_joined(_dataset(three_files)))
    assert [sorted(epoch) for epoch in epochs] == [expected] * 3
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]
    assert _joined(_endless(three_files, seed=2).take(15)) != epochs[0]


def test_a_stream_goes_on_at_any_batch(three_files):
    def stream(first_batch, global_seed=1):
        tf.random.set_seed(global_seed)
        return _endless(three_files, batch_size=30, first_batch=first_batch)

    expected = _joined(stream(0).take(64))
    for first in (1, 61):  # An epoch has 2 batches of 60 records.
        rows = _joined(stream(first, global_seed=2).take(3))
        assert rows == expected[first * 30 :][: 3 * 30]


def test_less_than_a_batch_is_an_error(three_files):
    with pytest.raises(ValueError, match="60 records, batch_size=61"):
        _endless(three_files, batch_size=61)


@pytest.mark.parametrize(
    ("name", "values", "options", "words"),
    [
        ("segment_ids", None, {}, "feature `segment_ids`"),
        ("input_ids", [30] * 16, {}, "`input_ids` must be below .*: 30"),
        ("masked_lm_ids", [30] * 3, {}, "`masked_lm_ids` must be below"),
        ("extra", [1], {"max_seq_length": 17}, "`input_ids` must have 17 .*16"),
    ],
)
def test_a_bad_first_record_is_named_and_a_later_one_an_error(
    write_record_file, change_record, name, values, options, words
):
    records = _serialize(_examples(9))
    bad = change_record(records[0], **{name: values})
    path = write_record_file("a", [bad, *records])
    with pytest.raises(
        ValueError, match=f"^{path}(:|, record 0 .*:) .*{words}"
    ):
        _dataset([path], **options)
    dataset = _dataset([write_record_file("b", [*records, bad])])
    if options:
        assert len(_joined(dataset)) == 10
        return
    with pytest.raises(tf.errors.InvalidArgumentError, match=name):
        list(dataset)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "is not a valid TFRecord file"),
        (b"", "must contain records. The file is empty"),
        (b"some text, not a record\n" * 3, "is not a valid TFRecord file"),
        ([b"no example"], ", record 0 .*: it must be a tf.train.Example"),
    ],
)
def test_a_file_of_something_else_is_named(
    write_record_file, tmp_path, data, words
):
    path = tmp_path / "a"
    if isinstance(data, bytes):
        path.write_bytes(data)
    elif data:
        write_record_file("a", data)
    with pytest.raises(ValueError, match=f"^{path},? ?{words}"):
        _dataset([str(path)])
    with pytest.raises(ValueError, match="must not be empty"):
        _dataset([])
