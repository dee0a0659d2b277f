import numpy as np
import pytest

from keras_bert.tasks.fine_tuning.labels import label_indices
from keras_bert.tasks.fine_tuning.labels import label_rows
from keras_bert.tasks.fine_tuning.labels import numbers

_NAMES = ["x", "y", "z"]


def test_labels_are_names_or_indices():
    labels = ["z", 0, np.int64(1), np.str_("y")]
    assert label_indices(labels, _NAMES).tolist() == [2, 0, 1, 1]
    assert label_indices([], _NAMES).tolist() == []


@pytest.mark.parametrize(
    "labels",
    [[[1], [0]], np.array([[1], [0]]), [["y"], ["x"]], np.eye(2)[[1, 0]]],
    ids=range(4),
)
def test_columns_and_one_hot_rows_are_labels(labels):
    assert label_indices(labels, ["x", "y"]).tolist() == [1, 0]


@pytest.mark.parametrize("names", [["1", "2", "3"], ["2", "1"]])
def test_an_index_that_is_the_name_of_another_label_is_ambiguous(names):
    assert label_indices(names, names).tolist() == [*range(len(names))]
    with pytest.raises(ValueError, match="ambiguous.*as str.*2 at index 1"):
        label_indices([names[0], 2], names)
    with pytest.raises(ValueError, match="ambiguous.*as str.*2 at index 0"):
        label_rows([[2]], names)
    assert label_indices([1, 0], ["0", "1"]).tolist() == [1, 0]


def test_rows_of_several_labels_name_the_setting():
    with pytest.raises(ValueError, match=r"\[0, 1\] at index 0.*multi_label"):
        label_indices([[0, 1], [1, 1]], ["x", "y"])


@pytest.mark.parametrize("label", ["q", 3, -1, True, None, 1.0, ["x"]])
def test_what_is_no_label_is_named(label):
    with pytest.raises(ValueError, match="x, y.*from 0 to 1.*at index 1"):
        label_indices(["x", label], ["x", "y"])


@pytest.mark.parametrize(
    ("labels", "names", "expected"),
    [
        ([["x"], [], ["z", "y"]], _NAMES, [[1, 0, 0], [0, 0, 0], [0, 1, 1]]),
        ([[0], [1, 2], {"x"}], _NAMES, [[1, 0, 0], [0, 1, 1], [1, 0, 0]]),
        (np.eye(3, dtype=int), _NAMES, np.eye(3)),
        ([[0, 0, 0], [1.0, 0, 1]], _NAMES, [[0, 0, 0], [1, 0, 1]]),
        ([np.array([True, False, False])], _NAMES, [[1, 0, 0]]),
        ([[np.int64(1), 0, 0]], _NAMES, [[1, 0, 0]]),
        ([[0, 1, 2]], _NAMES, [[1, 1, 1]]),
        ([[0, 1], [0, 0]], ["x", "y"], [[0, 1], [0, 0]]),
        ([[0, 1], [0]], ["x", "y"], [[1, 1], [1, 0]]),
        ([[False, True]], ["x", "y"], [[0, 1]]),
        ([], _NAMES, np.zeros((0, 3))),
    ],
    ids=range(11),
)
def test_several_labels_are_named_or_marked(labels, names, expected):
    rows = label_rows(labels, names)
    np.testing.assert_array_equal(rows, expected)
    assert rows.dtype == np.float32


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["yz"], "'yz' at index 0"),
        ([3], "3 at index 0"),
        ([["x"], ["q"]], r"\['q'\] at index 1.*'q' at index 0"),
        ([[1, 0, 0], [0, 2]], r"\[1, 0, 0\] at index 0: a label occurs twice"),
        ([[0.5, 0, 1]], r"\[0.5, 0, 1\] at index 0"),
    ],
)
def test_what_is_not_several_labels_is_named(labels, message):
    with pytest.raises(ValueError, match=message):
        label_rows(labels, _NAMES)


@pytest.mark.parametrize("names", [["x", "y"], ["1", "2"]])
def test_rows_that_may_be_indices_or_indicators_are_ambiguous(names):
    with pytest.raises(ValueError, match="ambiguous.*as bool"):
        label_rows([[1, 0]], names)


def test_numbers_are_finite():
    assert numbers([1, np.float32(-2.5)]).tolist() == [[1.0], [-2.5]]
    assert numbers([[1, 2], np.ones(2)], 2).tolist() == [[1, 2], [1, 1]]
    assert numbers([1]).dtype == np.float32
    assert numbers(np.array([[1], [2]])).tolist() == [[1.0], [2.0]]
    for bad in (float("inf"), float("nan"), True, "1", None, [1]):
        with pytest.raises(ValueError, match="finite.* at index 1"):
            numbers([1.0, bad])
    for bad in (1, [1], [1, 2, 3], "12"):
        with pytest.raises(ValueError, match="2 finite number.*at index 1"):
            numbers([[1, 2], bad], 2)
