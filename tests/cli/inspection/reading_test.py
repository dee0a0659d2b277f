import pathlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert.cli.inspection.reading import inspect_records
from keras_bert.pretraining.records import validation
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import MASK

_SAMPLE = pathlib.Path(__file__).parents[3] / "tfrecords" / "sample"


def _parsed(path):
    """Parse all records with tf.train.Example to a dict of arrays."""
    rows = {feature.name: [] for feature in features.PRETRAINING_FEATURES}
    for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
        held = tf.train.Example.FromString(record).features.feature
        for feature in features.PRETRAINING_FEATURES:
            is_float = feature.dtype == "float32"
            kind = "float_list" if is_float else "int64_list"
            rows[feature.name].append(getattr(held[feature.name], kind).value)
    return {name: np.array(values) for name, values in rows.items()}


def test_counts_of_the_sample_are_those_of_plain_numpy():
    path = str(_SAMPLE / "sample.tfrecord")
    vocabulary = Vocabulary.from_file(_SAMPLE / "vocab.txt")
    statistics, _ = inspect_records([path, path], vocabulary)
    values = _parsed(path)
    counts = dict.fromkeys(("masked", "random", "kept"), 0)
    for row in range(len(values["input_ids"])):
        used = values["masked_lm_weights"][row] == 1
        for position, label in zip(
            values["masked_lm_positions"][row][used],
            values["masked_lm_ids"][row][used],
        ):
            shown = values["input_ids"][row][position]
            is_mask = shown == vocabulary.id_of(MASK)
            same = "kept" if shown == label else "random"
            counts["masked" if is_mask else same] += 1
    expected = {
        **counts,
        "records": len(values["input_mask"]),
        "predictions": sum(counts.values()),
        "tokens": values["input_mask"].sum(),
        "padding": (values["input_mask"] == 0).sum(),
        "not_next": values["next_sentence_labels"].sum(),
    }
    doubled = {name: 2 * count for name, count in expected.items()}
    assert statistics.counts == {**doubled, "files": 2}
    lengths = np.bincount(values["input_mask"].sum(axis=1))
    np.testing.assert_array_equal(statistics.lengths, 2 * lengths)


def test_numbers_do_not_depend_on_the_batch(monkeypatch):
    path = str(_SAMPLE / "sample.tfrecord")
    vocabulary = Vocabulary.from_file(_SAMPLE / "vocab.txt")
    expected, examples = inspect_records([path], vocabulary, num_examples=9)
    monkeypatch.setattr(validation, "_BATCH_RECORDS", 4)
    statistics, shown = inspect_records([path], vocabulary, num_examples=9)
    assert statistics.counts == expected.counts
    np.testing.assert_array_equal(statistics.lengths, expected.lengths)
    assert shown == examples


def test_short_examples_are_those_with_padding(
    write, vocabulary, make_static, static
):
    full = make_static(["the"] * 5, ["a"] * 4, [(1, MASK)], label=0)
    path = write("a", [static, full, static, static])
    statistics, _ = inspect_records([path], vocabulary)
    assert statistics.max_length == 12
    assert statistics.short_share == 0.75
    assert statistics.share("not_next", "records") == 0.75


def test_files_may_differ_in_length(write, vocabulary, static):
    longer = {
        feature.name: static[feature.name]
        + [type(static[feature.name][0])(0)] * (feature.length != "1")
        for feature in features.PRETRAINING_FEATURES
    }
    paths = write("a", [longer]), write("b", [static])
    statistics, _ = inspect_records(paths, vocabulary)
    assert statistics.max_length == 12 + 1
    assert statistics.lengths[8] == 2


def test_an_example_is_shown_with_its_marks(write, vocabulary, static):
    path = write("a", [static] * 2)
    _, examples = inspect_records([path], vocabulary, num_examples=5)
    assert len(examples) == 2
    assert examples[1].splitlines() == [
        f"Record 1 of {path}: 8 tokens, 3 to predict",
        "  A      [CLS] the [MASK→dog][red*→##s] [SEP]",
        "  B      [a=] cat [SEP]",
        "  label  B does not follow A (1)",
    ]


def test_pieces_are_joined_to_words(write, vocabulary, make_static):
    record = make_static(["##s", "dog", "##er", "##s"], ["##s"], [], label=0)
    _, (example,) = inspect_records([write("a", [record])], vocabulary)
    assert example.splitlines()[1:] == [
        "  A      [CLS] ##s dogers [SEP]",
        "  B      ##s [SEP]",
        "  label  B follows A (0)",
    ]


def test_dynamic_records_are_measured_in_words(
    write, vocabulary, make_dynamic, dynamic
):
    longer = make_dynamic(
        ["dog", "##er", "##s"], ["cat", "##s", "a", "a"], label=1
    )
    path = write("a", [dynamic, longer, dynamic])
    statistics, examples = inspect_records([path], vocabulary)
    assert not statistics.is_static
    assert statistics.counts == {
        "files": 1,
        "records": 3,
        "tokens": 26,
        "padding": 4,
        "not_next": 1,
        "words": 12,
        "pieces": 17,
    }
    assert statistics.word_lengths.tolist() == [0, 8, 3, 1]
    assert np.flatnonzero(statistics.lengths).tolist() == [8, 10]
    assert statistics.short_share == 2 / 3
    title, first, *_ = examples[0].splitlines()
    assert title == f"Record 0 of {path}: 8 tokens"
    assert first == "  A      [CLS] the dogs [SEP]"


def test_two_forms_are_not_mixed(write, vocabulary, static, dynamic):
    paths = write("a", [static]), write("b", [dynamic])
    with pytest.raises(
        ValueError,
        match="same masking, static or dynamic;.*a and .*b, which dif",
    ):
        inspect_records(paths, vocabulary)
