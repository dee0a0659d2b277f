import os
import pathlib

import pytest

from keras_bert import features
from keras_bert.pretraining.records.validation import read_checked_records


def _read(path, vocabulary):
    """Return the number of records of each batch."""
    batches = read_checked_records(path, vocabulary)
    return [len(values["input_ids"]) for values in batches]


def _with(record, name, position, value):
    """Return the record with one value replaced."""
    values = [*record[name]]
    values[position] = value
    return {**record, name: values}


def _error(path, vocabulary):
    with pytest.raises(ValueError) as error:
        _read(path, vocabulary)
    return str(error.value)


@pytest.mark.parametrize(
    "name, position, value, received",
    [
        ("input_mask", 0, 0, "0 at position 0"),
        ("input_mask", 9, 1, "1 at position 9"),
        ("input_mask", 7, 2, "2 at position 7"),
        ("segment_ids", 2, 1, "1 at position 2"),
        ("segment_ids", 8, 1, "1 at position 8"),
        ("segment_ids", 7, 2, "2 at position 7"),
        ("input_ids", 0, 1, "1 at position 0"),
        ("input_ids", 4, 1, "1 at position 4"),
        ("input_ids", 7, 1, "1 at position 7"),
        ("input_ids", 1, 99, "99 at position 1"),
        ("input_ids", 10, 7, "7 at position 10"),
        ("masked_lm_positions", 0, 0, "0 at position 0"),
        ("masked_lm_positions", 1, 4, "4 at position 1"),
        ("masked_lm_positions", 1, 2, "2 at position 1"),
        ("masked_lm_positions", 0, 5, "3 at position 1"),
        ("masked_lm_positions", 2, 7, "7 at position 2"),
        ("masked_lm_ids", 2, 99, "99 at position 2"),
        ("masked_lm_weights", 1, 0.0, "1.0 at position 2"),
        ("masked_lm_weights", 0, 0.5, "0.5 at position 0"),
        ("masked_lm_weights", 0, float("nan"), "nan at position 0"),
        ("next_sentence_labels", 0, 2, "2"),
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
    mask = [1] * length + [0] * (12 - length)
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
        ("word_starts", 2, 2, "2 at position 2"),
        ("input_ids", 0, 1, "1 at position 0"),
        ("input_ids", 4, 1, "1 at position 4"),
        ("input_ids", 7, 1, "1 at position 7"),
        ("input_ids", 2, 99, "99 at position 2"),
        ("next_sentence_labels", 0, 2, "2"),
    ],
)
def test_a_wrong_value_of_a_dynamic_record_is_named(
    write, vocabulary, make_dynamic, dynamic, name, position, value, received
):
    longer = make_dynamic(["the"] * 9, ["a"], label=0)
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
    # If two must have the same length, the first one sets it.
    name = feature.name
    if (form, name) == ("dynamic", "input_ids"):
        assert "`word_starts` must have 9 value(s)" in message
    else:
        assert f"`{name}` must have {len(values)} value(s)" in message
        assert message.endswith(f"Received: {len(values) + 1}.")


def test_no_example_is_named(write, vocabulary, static):
    message = _error(write("a", [static, b"no example"]), vocabulary)
    assert ", record 1 (" in message
    assert message.endswith("Received: b'no example'.")


def test_an_empty_file_is_named(write, vocabulary):
    path = write("a", [])
    assert _error(path, vocabulary) == (
        f"{path} must contain records. The file is empty."
    )


@pytest.mark.parametrize(
    "cut, received",
    [
        (1, "inside the record: expected {size} bytes, got {rest}."),
        (40, "inside the record: expected {size} bytes, got {rest}."),
        (-5, "inside the record header: expected 12 bytes, got 5."),
        (-12, "inside the record: expected {size} bytes, got 0."),
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
        f"truncated {received.format(rest=keep - 12, size=one - 12)}"
    )


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
