import os

import pytest

from keras_bert import features
from keras_bert.pretraining.records.validation import read_checked_records


@pytest.fixture
def other_static(static):
    return static


@pytest.fixture
def other_dynamic(make_dynamic):
    """Return a longer record."""
    return make_dynamic(["the"] * 9, ["a"], label=0)


def _error(path, vocabulary):
    """Return the error message for a file."""
    with pytest.raises(ValueError) as error:
        list(read_checked_records(path, vocabulary))
    return str(error.value)


def _with(record, name, position, value):
    """Return the record with one value replaced."""
    values = [*record[name]]
    values[position] = value
    return {**record, name: values}


@pytest.mark.parametrize(
    "form, name, position, value, received",
    [
        ("static", "input_mask", 0, 0, "0 at position 0"),
        ("static", "input_mask", 9, 1, "1 at position 9"),
        ("static", "segment_ids", 7, 2, "2 at position 7"),
        ("static", "input_ids", 0, 1, "1 at position 0"),
        ("static", "input_ids", 4, 1, "1 at position 4"),
        ("static", "input_ids", 7, 1, "1 at position 7"),
        ("static", "input_ids", 1, 99, "99 at position 1"),
        ("static", "input_ids", 10, 7, "7 at position 10"),
        ("static", "masked_lm_positions", 0, 0, "0 at position 0"),
        ("static", "masked_lm_positions", 1, 4, "4 at position 1"),
        ("static", "masked_lm_positions", 1, 2, "2 at position 1"),
        ("static", "masked_lm_positions", 0, 5, "3 at position 1"),
        ("static", "masked_lm_positions", 2, 7, "7 at position 2"),
        ("static", "masked_lm_ids", 2, 99, "99 at position 2"),
        ("static", "masked_lm_weights", 1, 0.0, "1.0 at position 2"),
        ("static", "masked_lm_weights", 0, 0.5, "0.5 at position 0"),
        ("static", "next_sentence_labels", 0, 2, "2"),
        ("dynamic", "segment_boundary", 0, 2, "2"),
        ("dynamic", "segment_boundary", 0, 7, "7"),
        ("dynamic", "word_starts", 0, 1, "1 at position 0"),
        ("dynamic", "word_starts", 1, 0, "0 at position 1"),
        ("dynamic", "word_starts", 4, 1, "1 at position 4"),
        ("dynamic", "word_starts", 5, 0, "0 at position 5"),
        ("dynamic", "word_starts", 2, 2, "2 at position 2"),
        ("dynamic", "input_ids", 4, 1, "1 at position 4"),
        ("dynamic", "input_ids", 7, 1, "1 at position 7"),
    ],
)
def test_a_wrong_value_is_named(
    write, vocabulary, request, form, name, position, value, received
):
    good, other = (request.getfixturevalue(x) for x in (form, f"other_{form}"))
    wrong = _with(good, name, position, value)
    path = write("a", [good, other, wrong, good, wrong])
    message = _error(path, vocabulary)
    offset = os.path.getsize(write("before", [good, other]))
    place = f"{path}, record 2 (counted from 0; at byte {offset}): "
    assert message.startswith(f"{place}`{name}` must ")
    assert message.endswith(f". Received: {received}.")


def test_a_prediction_without_its_weight_is_named(write, vocabulary, static):
    wrong = _with(static, "masked_lm_weights", 2, 0.0)
    for name, value in (("positions", 5), ("ids", wrong["masked_lm_ids"][2])):
        assert _error(write("a", [static, wrong]), vocabulary).endswith(
            f"`masked_lm_{name}` must be 0 where `masked_lm_weights` is 0.0. "
            f"Received: {value} at position 2."
        )
        wrong = _with(wrong, f"masked_lm_{name}", 2, 0)


@pytest.mark.parametrize("length", [1, 4])
def test_a_pair_with_an_empty_part_is_named(write, vocabulary, static, length):
    mask = [1] * length + [0] * (12 - length)
    path = write("a", [{**static, "input_mask": mask}])
    assert "`input_mask` must be ones at [CLS] A [SEP] B [SEP]" in _error(
        path, vocabulary
    )


_FEATURES = [
    pytest.param(form, feature, id=f"{form}-{feature.name}")
    for form in ("static", "dynamic")
    for feature in features.FORMS[form]
]


@pytest.mark.parametrize("form, feature", _FEATURES)
def test_a_feature_of_another_form_is_named(
    write, vocabulary, request, form, feature
):
    """Check a missing feature, another type and another length."""
    good, name = request.getfixturevalue(form), feature.name
    values = good[name]
    other = int if feature.dtype == "float32" else float
    faults = [
        (None, f"it must have the feature `{name}` ("),
        ([*map(other, values)], f"`{name}` must be {feature.dtype}"),
        (
            values + values[-1:],
            f"`{name}` must have {len(values)} value(s)"
            if (form, name) != ("dynamic", "input_ids")
            # If two must have the same length, the first one sets it.
            else "`word_starts` must have 9 value(s)",
        ),
    ]
    for wrong, expected in faults:
        record = {key: x for key, x in good.items() if key != name}
        if wrong is not None:
            record[name] = wrong
        message = _error(write("a", [good, good, record]), vocabulary)
        assert ", record 2 (" in message
        assert expected in message
    del record[name]
    message = _error(write("a", [record]), vocabulary)
    assert ", record 0 (" in message
    assert faults[0][1] in message


def test_no_example_and_no_record_are_named(write, vocabulary, static):
    message = _error(write("a", [static, b"no example"]), vocabulary)
    assert ", record 1 (" in message
    assert message.endswith("Received: b'no example'.")
    path = write("a", [])
    assert _error(path, vocabulary) == (
        f"{path} must contain records. The file is empty."
    )


@pytest.mark.parametrize(
    "kept, received",
    [
        (-1, "inside the record: expected {size} bytes, got {rest}."),
        (5, "inside the record header: expected 12 bytes, got 5."),
        (12, "inside the record: expected {size} bytes, got 0."),
    ],
)
def test_a_file_cut_in_a_record_is_named(
    write, vocabulary, static, kept, received
):
    path = write("a", [static] * 4)
    one = os.path.getsize(path) // 4
    os.truncate(path, 3 * one + kept % one)
    received = received.format(rest=kept % one - 12, size=one - 12)
    assert _error(path, vocabulary) == (
        f"{path}, record 3 (counted from 0; at byte {3 * one}): the file is "
        f"truncated {received}"
    )


@pytest.mark.parametrize("byte, what", [(0, "length"), (20, "data")])
def test_a_damaged_record_is_named(write, vocabulary, static, byte, what):
    path = write("a", [static] * 4)
    one = os.path.getsize(path) // 4
    with open(path, "r+b") as file:
        file.seek(one + byte)
        file.write(b"\xff")
    message = _error(path, vocabulary)
    place = f"{path}, record 1 (counted from 0; at byte {one}): "
    assert message.startswith(f"{place}the checksum of its {what} does not")
