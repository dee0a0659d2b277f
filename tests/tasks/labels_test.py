import numpy as np
import pytest

from keras_bert.tasks.labels import label_indices
from keras_bert.tasks.labels import label_rows
from keras_bert.tasks.labels import numbers

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


@pytest.mark.parametrize(
    ("labels", "names", "expected"),
    [
        ([["x"], [], ["z", "y"]], _NAMES, [[1, 0, 0], [0, 0, 0], [0, 1, 1]]),
        ([[0], [1, 2], {"x"}], _NAMES, [[1, 0, 0], [0, 1, 1], [1, 0, 0]]),
        (np.eye(3, dtype=int), _NAMES, np.eye(3)),
        ([[0, 0, 0], [1.0, 0, 1]], _NAMES, [[0, 0, 0], [1, 0, 1]]),
        ([np.array([True, False, False])], _NAMES, [[1, 0, 0]]),
        ([[0, 1, 2]], _NAMES, [[1, 1, 1]]),
        ([[0, 1], [0, 0]], ["x", "y"], [[0, 1], [0, 0]]),
        ([[0, 1], [0]], ["x", "y"], [[1, 1], [1, 0]]),
        ([[False, True]], ["x", "y"], [[0, 1]]),
        ([], _NAMES, np.zeros((0, 3))),
    ],
    ids=range(10),
)
def test_several_labels_are_named_or_marked(labels, names, expected):
    rows = label_rows(labels, names)
    np.testing.assert_array_equal(rows, expected)
    assert rows.dtype == np.float32


def test_numbers_are_columns_of_float32():
    assert numbers([1, np.float32(-2.5)]).tolist() == [[1.0], [-2.5]]
    assert numbers([[1, 2], np.ones(2)], 2).tolist() == [[1, 2], [1, 1]]
    assert numbers(np.array([[1], [2]])).tolist() == [[1.0], [2.0]]
    assert numbers([1]).dtype == np.float32
