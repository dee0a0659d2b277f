import collections
import types

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.columns import PAIR_KEYS
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import as_rows
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.columns import select_columns
from keras_bert.tasks.columns import split_examples

_A, _B = ["a", "ü"], ["c", "d"]
_PAIRS = [("a", "c"), ("ü", "d")]


def _column(values):
    """Stand-in for a pandas column: it has `tolist` and is not a list."""
    return types.SimpleNamespace(
        tolist=lambda: list(values), shape=(len(values),)
    )


class _Table:
    """Stand-in for a pandas table."""

    def __init__(self, **columns):
        self._columns, self.columns = columns, [*columns]

    def __getitem__(self, name):
        return _column(self._columns[name])


class _DataSet:
    """Stand-in for a Hugging Face dataset."""

    def __init__(self, **columns):
        self._columns, self.column_names = columns, [*columns]

    def __getitem__(self, name):
        return self._columns[name]


class _Stream:
    """Stand-in for a Hugging Face dataset that can only be iterated."""

    column_names = ["text", "label"]

    def __init__(self, rows):
        self._rows = rows

    def __iter__(self):
        return iter(self._rows)


_dataset = tf.data.Dataset.from_tensor_slices


@pytest.mark.parametrize(
    "texts",
    [
        [text.encode() for text in _A],
        np.array([text.encode() for text in _A]),
        iter(_A),
        [*map(np.str_, _A)],
        np.array(_A),
        _column(_A),
        tf.constant(_A),
        _dataset(_A),
        _dataset(_A).batch(2),
        collections.UserDict(text=np.array(_A)),
        [{"text": text} for text in _A],
        _Table(text=_A),
        _Table(review=_A),
        _DataSet(text=_A),
    ],
    ids=range(14),
)
def test_texts_of_any_container_are_a_list_of_str(texts):
    rows = as_rows(texts)
    assert rows == _A and {*map(type, rows)} == {str}


@pytest.mark.parametrize(
    "pairs",
    [
        iter(_PAIRS),
        (np.array(_A), _B),
        (_column(_A), _column(_B)),
        (tf.constant(_A), tf.constant(_B)),
        _dataset((_A, _B)),
        _dataset((_A, _B)).batch(2),
        {"text_pair": _B, "text": _A},
        [{"text_pair": b, "text": a} for a, b in _PAIRS],
        _dataset({"text_pair": _B, "text": _A}).batch(2),
        _Table(question=_A, answer=_B),
    ],
    ids=range(10),
)
def test_pairs_of_any_container_are_a_list_of_tuples(pairs):
    assert as_rows(pairs) == _PAIRS


def test_a_tuple_of_two_columns_is_pairs_unless_it_may_be_rows():
    first, second = ["a", "b", "e"], ["c", "d", "f"]
    assert as_rows((first, second)) == [*zip(first, second)]
    assert as_rows((first[:1], second[:1])) == [("a", "c")]
    assert as_rows((*_PAIRS, *_PAIRS)) == _PAIRS * 2
    assert as_rows(("a", "b")) == ["a", "b"]
    for texts in ((_A, _B), (*_PAIRS,)):
        with pytest.raises(ValueError, match=r"as list\(zip\(a, b\)\)"):
            as_rows(texts)
    for a in (first, np.array(first)):
        with pytest.raises(ValueError, match="columns of 3 and 1 texts"):
            as_rows((a, ["c"]))


@pytest.mark.parametrize(
    "texts",
    [
        {"text": _A, "idx": [1, 2]},
        ["a", {"text": "a", "idx": 1}],
        _Table(sentence=_A, label=["x", "y"]),
        _dataset({"sentence": _A}),
    ],
    ids=range(4),
)
def test_other_mappings_are_refused_by_their_keys(texts):
    with pytest.raises(
        ValueError,
        match="keys 'text', or 'text' and 'text_pair'.*keys.*'(idx|sentence)'",
    ):
        as_rows(texts)


@pytest.mark.parametrize("make", [dict, _Table, _DataSet])
def test_a_column_of_labels_may_stand_beside_the_texts(make):
    data = make(text=_A, label=[1, 0])
    assert split_examples(data) == (_A, [1, 0])
    with pytest.raises(ValueError, match="'label'"):
        as_rows(data)
    with pytest.raises(ValueError, match="`labels` must be a list.*'label'"):
        split_examples(_A, make(label=[1, 0]))


def test_labels_of_any_container_are_python_values():
    array = np.array([0, 1])
    for labels in (0, 1), array, [*array], _column([0, 1]), tf.constant([0, 1]):
        found = split_examples(_A, labels)[1]
        assert found == [0, 1] and {*map(type, found)} == {int}


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        ((["ä", "b", "c"], ["d", "e", "f"]), ["x", "y", "x"]),
        (["ä", "b", "c"], [[1, 0], [0, 0], [0, 1]]),
    ],
)
def test_a_data_set_holds_texts_and_labels(texts, labels):
    data = _dataset((texts, labels))
    assert split_examples(data) == split_examples(texts, labels)
    assert split_examples(data.batch(2)) == split_examples(data)


@pytest.mark.parametrize("make", [list, iter, _Stream])
def test_rows_hold_texts_and_labels(make):
    rows = [{"text": "a", "label": "x"}, {"label": "y", "text": "ü"}]
    assert split_examples(make(rows)) == (_A, ["x", "y"])
    rows = [{**row, "text_pair": text} for row, text in zip(rows, _B)]
    assert split_examples(make(rows)) == (_PAIRS, ["x", "y"])


def test_a_data_set_of_dicts_holds_texts_and_labels():
    data = _dataset({"text": _A, "label": [1, 0]})
    # `tfds.as_numpy` returns such rows, with bytes and NumPy scalars.
    for rows in [*data.as_numpy_iterator()], data, data.batch(2):
        assert split_examples(rows) == (_A, [1, 0])


def test_arrow_values_are_python_values():
    import pyarrow as arrow

    table = arrow.table({"text": _A, "label": [1, 0]})
    assert split_examples(table) == (_A, [1, 0])
    for texts in (table["text"], arrow.array(_A), [*table["text"]]):
        assert as_rows(texts) == _A


_ROWS = [
    {"id": 7, "answer": "a", "query": "b", "label": 0.5},
    {"id": 8, "answer": "c", "query": "d", "label": 1.0},
]


@pytest.mark.parametrize(
    "examples",
    [
        _ROWS,
        {name: [row[name] for row in _ROWS] for name in _ROWS[0]},
        _Table(**{name: [row[name] for row in _ROWS] for name in _ROWS[0]}),
        tf.data.Dataset.from_tensor_slices(
            {name: [row[name] for row in _ROWS] for name in _ROWS[0]}
        ),
    ],
    ids=["rows", "columns", "table", "dataset"],
)
def test_columns_are_selected_in_order(examples):
    texts, labels = select_columns(examples, ("query", "answer"))
    assert texts == [("b", "a"), ("d", "c")]
    assert as_list(labels) == [0.5, 1.0]
    texts, labels = select_columns(examples, ["answer"], [3, 4])
    assert (texts, labels) == (["a", "c"], [3, 4])
    with pytest.raises(ValueError, match="'query', 'x'. Received"):
        select_columns(examples, ["query", "x"])


def test_some_labels_are_an_error():
    rows = [_ROWS[0], {"answer": "c", "query": "d"}]
    with pytest.raises(ValueError, match="All examples or none.*at index 1"):
        select_columns(rows, ["query"])


@pytest.mark.parametrize("names", [[], "query", [1]])
def test_columns_must_be_names(names):
    with pytest.raises(ValueError, match="`columns` must be a list of names"):
        select_columns(_ROWS, names)


def test_pairs_are_two_columns():
    assert encoded_texts(["ä", ""]) == [["ä".encode(), b""]]
    rows = [("a", "b"), ["c", "d"]]
    assert encoded_texts(rows) == [[b"a", b"c"], [b"b", b"d"]]
    assert encoded_texts([], PAIR_KEYS) == [[], []]
