import os
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert.data.records import validation as checked_records
from keras_bert.data.records.inspection import inspect_records
from keras_bert.data.records.inspection import join_tokens
from keras_bert.text import Vocabulary
from keras_bert.text.vocabulary import CLS
from keras_bert.text.vocabulary import MASK
from keras_bert.text.vocabulary import SEP

_SEQ_LENGTH, _NUM_PREDICTIONS = 12, 3
_SAMPLE = pathlib.Path(__file__).parents[3] / "tfrecords" / "sample"


def _pair(vocabulary, first, second):
    """Ids of a pair, and where B begins."""
    ids = [vocabulary.id_of(t) for t in (CLS, *first, SEP, *second, SEP)]
    return ids, len(first) + 2


def _static(vocabulary, first, second, predictions, label):
    """A record; predictions are pairs of a position and what is shown."""
    ids, boundary = _pair(vocabulary, first, second)
    padding = [0] * (_SEQ_LENGTH - len(ids))
    unused = [0] * (_NUM_PREDICTIONS - len(predictions))
    shown = [*ids]
    for position, token in predictions:
        shown[position] = vocabulary.id_of(token)
    positions = [position for position, _ in predictions]
    return {
        "input_ids": shown + padding,
        "input_mask": [1] * len(ids) + padding,
        "segment_ids": [int(i >= boundary) for i in range(len(ids))] + padding,
        "masked_lm_positions": positions + unused,
        "masked_lm_ids": [ids[p] for p in positions] + unused,
        "masked_lm_weights": [1.0] * len(positions) + [0.0] * len(unused),
        "next_sentence_labels": [label],
    }


def _dynamic(vocabulary, first, second, label):
    ids, boundary = _pair(vocabulary, first, second)
    pieces = [vocabulary.tokens[index] for index in ids]
    return {
        "input_ids": ids,
        "segment_boundary": [boundary],
        "word_starts": [
            int(p not in (CLS, SEP) and not p.startswith("##")) for p in pieces
        ],
        "next_sentence_labels": [label],
    }


@pytest.fixture
def static(vocabulary):
    """A record of 8 of 12 tokens with one prediction of each kind."""
    return _static(
        vocabulary,
        ["the", "dog", "##s"],
        ["a", "cat"],
        [(2, MASK), (3, "red"), (5, "a")],
        label=1,
    )


@pytest.fixture
def dynamic(vocabulary):
    """A record of 8 tokens, 5 in 4 words."""
    return _dynamic(vocabulary, ["the", "dog", "##s"], ["a", "cat"], label=0)


@pytest.fixture
def write(write_record_file):
    """Writes records (dicts of lists, or bytes) and gives the path."""

    def write(name, records):
        return write_record_file(
            name,
            [r if isinstance(r, bytes) else _serialize(r) for r in records],
        )

    return write


def _serialize(record):
    example = tf.train.Example()
    for name, values in record.items():
        feature = example.features.feature[name]
        if any(isinstance(value, float) for value in values):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(values)
    return example.SerializeToString()


def _with(record, name, position, value):
    """The record with one value exchanged."""
    values = [*record[name]]
    values[position] = value
    return {**record, name: values}


def _error(path, vocabulary):
    with pytest.raises(ValueError) as error:
        inspect_records([path], vocabulary)
    return str(error.value)


def _parsed(path):
    """All records by tf.train.Example: a dict of arrays."""
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
    shares = []
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
        shares.append(used.sum() / values["input_mask"][row].sum())
    expected = {
        **counts,
        "records": len(shares),
        "predictions": sum(counts.values()),
        "tokens": values["input_mask"].sum(),
        "padding": (values["input_mask"] == 0).sum(),
        "random_next": values["next_sentence_labels"].sum(),
    }
    doubled = {name: 2 * count for name, count in expected.items()}
    assert statistics.counts == {**doubled, "files": 2}
    lengths = np.bincount(values["input_mask"].sum(axis=1))
    np.testing.assert_array_equal(statistics.lengths, 2 * lengths)
    bins = np.rint(np.array(shares) * 200).astype(int)
    np.testing.assert_array_equal(
        statistics.predicted_shares, 2 * np.bincount(bins, minlength=201)
    )


def test_numbers_do_not_depend_on_the_batch(monkeypatch):
    path = str(_SAMPLE / "sample.tfrecord")
    vocabulary = Vocabulary.from_file(_SAMPLE / "vocab.txt")
    expected, examples = inspect_records([path], vocabulary, num_examples=9)
    monkeypatch.setattr(checked_records, "_BATCH_RECORDS", 4)
    statistics, shown = inspect_records([path], vocabulary, num_examples=9)
    assert statistics.counts == expected.counts
    np.testing.assert_array_equal(statistics.lengths, expected.lengths)
    assert shown == examples


def test_short_examples_are_those_with_padding(write, vocabulary, static):
    full = _static(vocabulary, ["the"] * 5, ["a"] * 4, [(1, MASK)], label=0)
    path = write("a", [static, full, static, static])
    statistics, _ = inspect_records([path], vocabulary)
    assert statistics.max_length == _SEQ_LENGTH
    assert statistics.short_share == 0.75
    assert statistics.share("random_next", "records") == 0.75


def test_files_may_differ_in_length(write, vocabulary, static):
    longer = {
        feature.name: static[feature.name]
        + [type(static[feature.name][0])(0)] * (feature.length != "1")
        for feature in features.PRETRAINING_FEATURES
    }
    paths = write("a", [longer]), write("b", [static])
    statistics, _ = inspect_records(paths, vocabulary)
    assert statistics.max_length == _SEQ_LENGTH + 1
    assert statistics.lengths[8] == 2


def test_an_example_is_shown_with_its_marks(write, vocabulary, static):
    path = write("a", [static] * 2)
    _, examples = inspect_records([path], vocabulary, num_examples=5)
    assert len(examples) == 2
    assert examples[1].title == f"Record 1 of {path}: 8 tokens, 3 to predict"
    lines = {
        name: join_tokens(part) for name, part in examples[1].parts.items()
    }
    assert lines == {
        "A": "[CLS] the [MASK→dog][red*→##s] [SEP]",
        "B": "[a=] cat [SEP]",
    }
    assert examples[1].label == "B is from another document (1)"


def test_pieces_are_joined_to_words(write, vocabulary):
    record = _static(
        vocabulary, ["##s", "dog", "##er", "##s"], ["##s"], [], label=0
    )
    _, (example,) = inspect_records([write("a", [record])], vocabulary)
    assert join_tokens(example.parts["A"]) == "[CLS] ##s dogers [SEP]"
    assert join_tokens(example.parts["B"]) == "##s [SEP]"
    assert example.label == "B follows A (0)"


def test_dynamic_records_are_measured_in_words(write, vocabulary, dynamic):
    longer = _dynamic(
        vocabulary, ["dog", "##er", "##s"], ["cat", "##s", "a", "a"], label=1
    )
    path = write("a", [dynamic, longer, dynamic])
    statistics, examples = inspect_records([path], vocabulary)
    assert not statistics.is_static
    assert statistics.counts == {
        "files": 1,
        "records": 3,
        "tokens": 26,
        "padding": 4,
        "random_next": 1,
        "words": 12,
        "pieces": 17,
    }
    assert statistics.word_lengths.tolist() == [0, 8, 3, 1]
    assert np.flatnonzero(statistics.lengths).tolist() == [8, 10]
    assert statistics.short_share == 2 / 3
    assert examples[0].title == f"Record 0 of {path}: 8 tokens"
    assert join_tokens(examples[0].parts["A"]) == "[CLS] the dogs [SEP]"


def test_two_forms_are_not_mixed(write, vocabulary, static, dynamic):
    paths = write("a", [static]), write("b", [dynamic])
    with pytest.raises(
        ValueError,
        match="all be static or all dynamic;.*a and .*b, which are of",
    ):
        inspect_records(paths, vocabulary)


@pytest.mark.parametrize(
    "name, position, value, received",
    [
        ("input_mask", 0, 0, "0 at position 0"),
        ("input_mask", 9, 1, "1 at position 9"),
        ("input_mask", 7, 2, "2 at position 7"),
        ("input_mask", 11, -1, "-1 at position 11"),
        ("segment_ids", 2, 1, "1 at position 2"),
        ("segment_ids", 6, 0, "0 at position 6"),
        ("segment_ids", 8, 1, "1 at position 8"),
        ("segment_ids", 7, 2, "2 at position 7"),
        ("input_ids", 0, 1, "1 at position 0"),
        ("input_ids", 4, 1, "1 at position 4"),
        ("input_ids", 7, 1, "1 at position 7"),
        ("input_ids", 1, 99, "99 at position 1"),
        ("input_ids", 1, -1, "-1 at position 1"),
        ("input_ids", 10, 7, "7 at position 10"),
        ("masked_lm_positions", 0, 0, "0 at position 0"),
        ("masked_lm_positions", 1, 4, "4 at position 1"),
        ("masked_lm_positions", 1, 2, "2 at position 1"),
        ("masked_lm_positions", 0, 5, "3 at position 1"),
        ("masked_lm_positions", 2, 7, "7 at position 2"),
        ("masked_lm_positions", 2, 99, "99 at position 2"),
        ("masked_lm_ids", 2, 99, "99 at position 2"),
        ("masked_lm_ids", 0, -3, "-3 at position 0"),
        ("masked_lm_weights", 1, 0.0, "1.0 at position 2"),
        ("masked_lm_weights", 0, 0.5, "0.5 at position 0"),
        ("masked_lm_weights", 0, float("nan"), "nan at position 0"),
        ("next_sentence_labels", 0, 2, "2"),
        ("next_sentence_labels", 0, -1, "-1"),
    ],
)
def test_a_wrong_value_is_named(
    write, vocabulary, static, name, position, value, received
):
    wrong = _with(static, name, position, value)
    path = write("a", [static, static, wrong, static, wrong])
    message = _error(path, vocabulary)
    offset = 2 * (os.path.getsize(write("one", [static])))
    place = f"{path}, record 2 (counted from 0; at byte {offset}): `"
    assert message.startswith(place)
    assert message.startswith(f"{place}{name}` must ")
    assert message.endswith(f". Received: {received}.")


def test_a_prediction_without_its_weight_is_named(write, vocabulary, static):
    wrong = _with(static, "masked_lm_weights", 2, 0.0)
    message = _error(write("a", [static, wrong]), vocabulary)
    assert ", record 1 (" in message
    assert message.endswith(
        "`masked_lm_positions` must be 0 where `masked_lm_weights` is 0.0. "
        "Received: 5 at position 2."
    )


def test_segments_that_do_not_change_at_sep_are_named(
    write, vocabulary, static, dynamic
):
    for number, (wrong, name) in enumerate(
        [
            (_with(static, "segment_ids", 5, 0), "segment_ids"),
            (_with(static, "segment_ids", 4, 1), "segment_ids"),
            (_with(dynamic, "segment_boundary", 0, 4), "segment_boundary"),
        ]
    ):
        message = _error(write(f"{number}", [wrong]), vocabulary)
        assert f"where `{name}` ends A and B. Received: " in message


@pytest.mark.parametrize("length", [1, 4])
def test_a_pair_with_an_empty_part_is_named(write, vocabulary, static, length):
    mask = [1] * length + [0] * (_SEQ_LENGTH - length)
    path = write("a", [{**static, "input_mask": mask}])
    assert "`input_mask` must be ones at [CLS] A [SEP] B [SEP]" in _error(
        path, vocabulary
    )


@pytest.mark.parametrize(
    "name, position, value, received",
    [
        ("segment_boundary", 0, 2, "2"),
        ("segment_boundary", 0, 7, "7"),
        ("word_starts", 0, 1, "1 at position 0"),
        ("word_starts", 1, 0, "0 at position 1"),
        ("word_starts", 4, 1, "1 at position 4"),
        ("word_starts", 5, 0, "0 at position 5"),
        ("word_starts", 7, 1, "1 at position 7"),
        ("word_starts", 2, 2, "2 at position 2"),
        ("word_starts", 2, -1, "-1 at position 2"),
        ("input_ids", 0, 1, "1 at position 0"),
        ("input_ids", 4, 1, "1 at position 4"),
        ("input_ids", 7, 1, "1 at position 7"),
        ("input_ids", 2, 99, "99 at position 2"),
        ("next_sentence_labels", 0, 2, "2"),
    ],
)
def test_a_wrong_value_of_a_dynamic_record_is_named(
    write, vocabulary, dynamic, name, position, value, received
):
    longer = _dynamic(vocabulary, ["the"] * 9, ["a"], label=0)
    wrong = _with(dynamic, name, position, value)
    path = write("a", [longer, wrong, longer])
    message = _error(path, vocabulary)
    assert message.startswith(f"{path}, record 1 (counted from 0; at byte ")
    assert f"): `{name}` must " in message
    assert message.endswith(f". Received: {received}.")


_FEATURES = [
    (form, feature)
    for form in ("static", "dynamic")
    for feature in {
        "static": features.PRETRAINING_FEATURES,
        "dynamic": features.DYNAMIC_FEATURES,
    }[form]
]
_IDS = [f"{form}-{feature.name}" for form, feature in _FEATURES]


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("form, feature", _FEATURES, ids=_IDS)
def test_a_missing_feature_is_named(
    write, vocabulary, request, form, feature, number
):
    good = request.getfixturevalue(form)
    wrong = {k: v for k, v in good.items() if k != feature.name}
    message = _error(write("a", [good] * number + [wrong]), vocabulary)
    assert f", record {number} (" in message
    assert f"it must have the feature `{feature.name}` (" in message


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("form, feature", _FEATURES, ids=_IDS)
def test_a_wrong_type_is_named(
    write, vocabulary, request, form, feature, number
):
    good = request.getfixturevalue(form)
    other = int if feature.dtype == "float32" else float
    values = [other(value) for value in good[feature.name]]
    wrong = {**good, feature.name: values}
    message = _error(write("a", [good] * number + [wrong]), vocabulary)
    assert f", record {number} (" in message
    assert f"`{feature.name}` must be {feature.dtype}" in message
    kind = "int64_list" if other is int else "float_list"
    assert message.endswith(f"Received: {kind}.")


@pytest.mark.parametrize("form, feature", _FEATURES, ids=_IDS)
def test_a_wrong_length_is_named(write, vocabulary, request, form, feature):
    good = request.getfixturevalue(form)
    values = good[feature.name]
    wrong = {**good, feature.name: values + values[-1:]}
    message = _error(write("a", [good, wrong]), vocabulary)
    assert ", record 1 (" in message
    # Of two that should be equally long, the first sets the length.
    name = feature.name
    if (form, name) == ("dynamic", "input_ids"):
        assert "`word_starts` must have 9 value(s)" in message
    else:
        assert f"`{name}` must have {len(values)} value(s)" in message
        assert message.endswith(f"Received: {len(values) + 1}.")


def test_a_wrong_length_in_the_first_record_is_named(write, vocabulary, static):
    wrong = {**static, "input_mask": static["input_mask"][:-1]}
    message = _error(write("a", [wrong] * 3), vocabulary)
    assert ", record 0 (" in message
    assert "`input_mask` must have 12 value(s), the max_seq_length" in message


def test_empty_lists_are_named(write, vocabulary, static):
    message = _error(write("a", [{**static, "input_ids": []}]), vocabulary)
    assert "`input_ids` must have 1 value(s)" in message
    assert message.endswith("Received: 0.")


def test_a_value_fault_comes_before_a_later_missing_feature(
    write, vocabulary, static
):
    wrong = _with(static, "next_sentence_labels", 0, 3)
    path = write("a", [static, wrong, {}])
    assert ", record 1 (" in _error(path, vocabulary)


def test_no_example_is_named(write, vocabulary, static):
    message = _error(write("a", [static, b"no example"]), vocabulary)
    assert ", record 1 (" in message
    assert message.endswith("Received: b'no example'.")


def test_an_empty_file_is_named(write, vocabulary):
    path = write("a", [])
    assert _error(path, vocabulary) == (
        f"{path} must hold records. Received: none."
    )


@pytest.mark.parametrize(
    "cut, received",
    [
        (1, "{rest} of its {size} bytes."),
        (40, "{rest} of its {size} bytes."),
        (-5, "5 of the 12 bytes of its length and their checksum."),
        (-12, "0 of its {size} bytes."),
    ],
)
def test_a_file_cut_in_a_record_is_named(
    write, vocabulary, static, cut, received
):
    path = write("a", [static] * 4)
    one = os.path.getsize(path) // 4
    keep = one - cut if cut > 0 else -cut
    os.truncate(path, 3 * one + keep)
    assert _error(path, vocabulary) == (
        f"{path}, record 3 (counted from 0; at byte {3 * one}): the file is "
        f"cut. Received: {received.format(rest=keep - 12, size=one - 12)}"
    )


def test_a_file_cut_between_records_is_shorter(write, vocabulary, static):
    path = write("a", [static] * 4)
    os.truncate(path, os.path.getsize(path) // 2)
    statistics, _ = inspect_records([path], vocabulary)
    assert statistics.counts["records"] == 2


@pytest.mark.parametrize(
    "byte, what", [(0, "length"), (9, "length"), (20, "data"), (-1, "data")]
)
def test_a_damaged_record_is_named(write, vocabulary, static, byte, what):
    path = write("a", [static] * 4)
    data = bytearray(pathlib.Path(path).read_bytes())
    one = len(data) // 4
    data[one + byte % one] ^= 1
    pathlib.Path(path).write_bytes(data)
    message = _error(path, vocabulary)
    place = f"{path}, record 1 (counted from 0; at byte {one}): "
    assert message.startswith(f"{place}the checksum of its {what} does not")


def test_a_fault_comes_before_a_later_cut(write, vocabulary, static):
    wrong = _with(static, "next_sentence_labels", 0, 3)
    path = write("a", [static, wrong, static])
    os.truncate(path, os.path.getsize(path) - 1)
    assert "`next_sentence_labels`" in _error(path, vocabulary)


def test_a_text_file_is_no_record_file(tmp_path, vocabulary):
    path = tmp_path / "a.txt"
    path.write_text("The dog sees the cat.\n")
    message = _error(str(path), vocabulary)
    assert f"{path}, record 0 (" in message
    assert message.endswith("the file is damaged or no TFRecord file.")
