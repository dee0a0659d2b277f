import types

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.fine_tuning.columns import as_list
from keras_bert.tasks.fine_tuning.columns import as_rows
from keras_bert.tasks.fine_tuning.columns import encoded_texts
from keras_bert.tasks.fine_tuning.columns import label_indices
from keras_bert.tasks.fine_tuning.columns import numbers
from keras_bert.tasks.fine_tuning.columns import split_examples


def _column(values):
    """As a column of pandas: it has `tolist` and is no list."""

    class Column(types.SimpleNamespace):
        def __len__(self):
            return len(values)

    return Column(tolist=lambda: list(values), ndim=1)


def _table(rows):
    """As a table of pandas."""

    def itertuples(index, name):
        assert (index, name) == (False, None)
        return iter(rows)

    return types.SimpleNamespace(itertuples=itertuples)


def test_texts_and_labels_of_any_container_are_lists():
    for texts, labels in (
        (["a", "b"], [0, 1]),
        (("a", "b"), (0, 1)),
        (np.array(["a", "b"]), np.array([0, 1])),
        (_column(["a", "b"]), _column([0, 1])),
    ):
        assert split_examples(texts, labels) == (["a", "b"], [0, 1])


def test_a_table_of_two_columns_is_pairs():
    assert as_list(_table([("a", "b"), ("c", "d")])) == [
        ("a", "b"),
        ("c", "d"),
    ]


def test_a_data_set_holds_texts_or_pairs_and_labels():
    data = tf.data.Dataset.from_tensor_slices((["ä", "b"], [0.5, 1.0]))
    assert split_examples(data) == (["ä", "b"], [0.5, 1.0])
    pairs = (["a", "b"], ["c", "d"])
    data = tf.data.Dataset.from_tensor_slices((pairs, ["x", "y"]))
    assert split_examples(data) == ([("a", "c"), ("b", "d")], ["x", "y"])
    data = tf.data.Dataset.from_tensor_slices(["a", "b"])
    assert encoded_texts(data.batch(2)) == [[b"a", b"b"]]
    with pytest.raises(ValueError, match="must be pairs.*Received: b'a'"):
        split_examples(data)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["ä", "b", "c"], [0.5, 1.0, 2.0]),
        ((["ä", "b", "c"], ["d", "e", "f"]), ["x", "y", "x"]),
        (["ä", "b", "c"], [[1, 0], [0, 0], [0, 1]]),
    ],
)
def test_a_batched_data_set_is_the_same_one_by_one(texts, labels):
    data = tf.data.Dataset.from_tensor_slices((texts, labels))
    assert split_examples(data.batch(2)) == split_examples(data)
    only_texts = data.map(lambda text, label: text)
    assert as_rows(only_texts.batch(2)) == split_examples(data)[0]


@pytest.mark.parametrize("make", [_column, np.array])
@pytest.mark.parametrize("size", [2, 3])
def test_a_tuple_of_columns_is_pairs(make, size):
    first, second = ["a", "b", "ü"][:size], ["c", "d", "e"][:size]
    texts = (make(first), make(second))
    pairs = [*zip(first, second)]
    assert as_rows(texts) == pairs
    assert encoded_texts(texts) == encoded_texts(pairs)
    assert split_examples(texts, [*range(size)])[0] == pairs
    with pytest.raises(ValueError, match=f"columns of {size} and 1 texts"):
        as_rows((make(first), make(["c"])))


def test_a_tuple_of_two_texts_is_two_texts():
    for texts in (("a", "b"), (np.str_("a"), np.str_("b"))):
        assert as_rows(texts) == ["a", "b"]
    assert as_rows((["a", "b"], ["c", "d"])) == [["a", "b"], ["c", "d"]]


def test_pairs_are_two_columns():
    assert encoded_texts(["ä", ""]) == [["ä".encode(), b""]]
    assert encoded_texts([("a", "b"), ["c", "d"]]) == [
        [b"a", b"c"],
        [b"b", b"d"],
    ]
    assert encoded_texts([], is_pair=True) == [[], []]


@pytest.mark.parametrize(
    ("texts", "is_pair", "message"),
    [
        (["a", ("b", "c")], None, r"single texts.*\('b', 'c'\) at index 1"),
        ([("b", "c"), "a"], None, "pairs.*'a' at index 1"),
        (["a"], True, "pairs.*'a' at index 0"),
        ([("a", "b")], False, "single texts.*at index 0"),
        ((["a", "b", "c"], ["d", "e", "f"]), None, r"list\(zip\(a, b\)\)"),
        ([("a", "b", "c")], None, "at index 0"),
        ([("a", 3)], None, "Received: 3 at index 0"),
        ([(("a", "b"), 1)], None, r"Received: [(]'a', 'b'[)] at index 0"),
        ([float("nan")], None, "Received: nan at index 0"),
        (["a\ud800"], None, "surrogate.*at index 0"),
        ("abc", None, "must be a list. Received: 'abc'"),
    ],
)
def test_what_is_no_text_is_named(texts, is_pair, message):
    with pytest.raises(ValueError, match=message):
        encoded_texts(texts, is_pair)


def test_labels_are_names_or_places():
    names = ["x", "y", "z"]
    assert label_indices(["z", 0, "y"], names).tolist() == [2, 0, 1]
    assert label_indices([], names).tolist() == []


@pytest.mark.parametrize("label", ["q", 3, -1, True, None, 1.0, ["x"]])
def test_what_is_no_label_is_named(label):
    with pytest.raises(ValueError, match="x, y.*from 0 to 1.*at index 1"):
        label_indices(["x", label], ["x", "y"])


def test_numbers_are_finite():
    assert numbers([1, -2.5]).tolist() == [1.0, -2.5]
    assert numbers([1]).dtype == np.float32
    for bad in (float("inf"), float("nan"), True, "1", None):
        with pytest.raises(ValueError, match=f"Received: {bad!r} at index 1"):
            numbers([1.0, bad])
