import collections
import types

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.fine_tuning.columns import PAIR_KEYS
from keras_bert.tasks.fine_tuning.columns import SINGLE_KEYS
from keras_bert.tasks.fine_tuning.columns import TEXT_KEYS
from keras_bert.tasks.fine_tuning.columns import as_rows
from keras_bert.tasks.fine_tuning.columns import encoded_texts
from keras_bert.tasks.fine_tuning.columns import split_examples

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
        _A,
        [text.encode() for text in _A],
        np.array([text.encode() for text in _A]),
        (*_A,),
        iter(_A),
        [*map(np.str_, _A)],
        np.array(_A),
        _column(_A),
        tf.constant(_A),
        _dataset(_A),
        _dataset(_A).batch(2),
        {"text": _A},
        collections.UserDict(text=np.array(_A)),
        [{"text": text} for text in _A],
        _dataset({"text": _A}).batch(2),
        _Table(text=_A),
        _Table(review=_A),
        _DataSet(text=_A),
    ],
    ids=range(18),
)
def test_texts_of_any_container_are_a_list_of_str(texts):
    rows = as_rows(texts)
    assert rows == _A and {*map(type, rows)} == {str}


@pytest.mark.parametrize(
    "pairs",
    [
        iter(_PAIRS),
        (np.array(_A), np.array(_B)),
        (np.array(_A), _B),
        (_column(_A), _column(_B)),
        (tf.constant(_A), tf.constant(_B)),
        _dataset((_A, _B)),
        _dataset((_A, _B)).batch(2),
        {"text_pair": _B, "text": _A},
        [{"text_pair": b, "text": a} for a, b in _PAIRS],
        _dataset({"text_pair": _B, "text": _A}),
        _Table(text_pair=_B, text=_A),
        _Table(question=_A, answer=_B),
        _DataSet(text_pair=_B, text=_A),
    ],
    ids=range(13),
)
def test_pairs_of_any_container_are_a_list_of_tuples(pairs):
    assert as_rows(pairs) == _PAIRS


def test_a_tuple_of_two_columns_is_pairs_unless_it_may_be_rows():
    first, second = ["a", "b", "e"], ["c", "d", "f"]
    assert as_rows((first, second)) == [*zip(first, second)]
    assert as_rows((first[:1], second[:1])) == [("a", "c")]
    assert as_rows((*_PAIRS, *_PAIRS)) == _PAIRS * 2
    for texts in ((_A, _B), (*_PAIRS,)):
        with pytest.raises(ValueError, match=r"as list\(zip\(a, b\)\)"):
            as_rows(texts)
    for a in (first, np.array(first)):
        with pytest.raises(ValueError, match="columns of 3 and 1 texts"):
            as_rows((a, ["c"]))


def test_a_tuple_of_two_texts_is_two_texts():
    for texts in (("a", "b"), (np.str_("a"), np.str_("b"))):
        assert as_rows(texts) == ["a", "b"]


@pytest.mark.parametrize(
    "texts",
    [
        {"sentence": _A},
        {"text": _A, "idx": [1, 2]},
        [{"sentence": "a"}],
        ["a", {"text": "a", "idx": 1}],
        _Table(sentence=_A, label=["x", "y"]),
        _DataSet(text=_A, idx=[1, 2]),
        _dataset({"sentence": _A}),
    ],
    ids=range(7),
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
    assert split_examples(make(text=_A, text_pair=_B, label=["x", "y"])) == (
        _PAIRS,
        ["x", "y"],
    )
    with pytest.raises(ValueError, match="'label'"):
        as_rows(data)
    with pytest.raises(ValueError, match="`labels` must be a list.*'label'"):
        split_examples(_A, make(label=[1, 0]))


def test_labels_of_any_container_are_python_values():
    array = np.array([0, 1])
    for labels in (
        (0, 1),
        array,
        [*array],
        _column([0, 1]),
        tf.constant([0, 1]),
    ):
        found = split_examples(_A, labels)[1]
        assert found == [0, 1] and {*map(type, found)} == {int}


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["ä", "b", "c"], [0.5, 1.0, 2.0]),
        ((["ä", "b", "c"], ["d", "e", "f"]), ["x", "y", "x"]),
        (["ä", "b", "c"], [[1, 0], [0, 0], [0, 1]]),
    ],
)
def test_a_data_set_holds_texts_and_labels(texts, labels):
    data = _dataset((texts, labels))
    assert split_examples(data) == split_examples(texts, labels)
    assert split_examples(data.batch(2)) == split_examples(data)


@pytest.mark.parametrize("examples", [_dataset(_A), _A, [{"text": "a"}]])
def test_examples_without_labels_are_named(examples):
    with pytest.raises(ValueError, match="`labels` must be given.*`label`"):
        split_examples(examples)


@pytest.mark.parametrize("make", [list, iter, _Stream])
def test_rows_hold_texts_and_labels(make):
    rows = [{"text": "a", "label": "x"}, {"label": "y", "text": "ü"}]
    assert split_examples(make(rows)) == (_A, ["x", "y"])
    rows = [{**row, "text_pair": text} for row, text in zip(rows, _B)]
    assert split_examples(make(rows)) == (_PAIRS, ["x", "y"])


@pytest.mark.parametrize("batch_size", [None, 2])
def test_a_data_set_of_dicts_holds_texts_and_labels(batch_size):
    data = _dataset({"text": _A, "label": [1, 0]})
    # `tfds.as_numpy` returns such rows, with bytes and NumPy scalars.
    assert split_examples([*data.as_numpy_iterator()]) == (_A, [1, 0])
    data = data if batch_size is None else data.batch(batch_size)
    assert split_examples(data) == (_A, [1, 0])


def test_arrow_values_are_python_values():
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"text": _A, "label": [1, 0]})
    assert split_examples(table) == (_A, [1, 0])
    for texts in (table["text"], arrow.array(_A), [*table["text"]]):
        assert as_rows(texts) == _A


def test_pairs_are_two_columns():
    assert encoded_texts(["ä", ""]) == [["ä".encode(), b""]]
    assert encoded_texts([("a", "b"), ["c", "d"]]) == [
        [b"a", b"c"],
        [b"b", b"d"],
    ]
    assert encoded_texts([], PAIR_KEYS) == [[], []]


@pytest.mark.parametrize(
    ("texts", "keys", "message"),
    [
        (
            ["a", ("b", "c")],
            TEXT_KEYS,
            r"single texts.*\('b', 'c'\) at index 1",
        ),
        ([("b", "c"), "a"], TEXT_KEYS, "pairs.*'a' at index 1"),
        (["a"], PAIR_KEYS, "pairs.*'a' at index 0"),
        ([("a", "b")], SINGLE_KEYS, "single texts.*at index 0"),
        ([["a", "b", "c"], ["d", "e", "f"]], TEXT_KEYS, r"list\(zip\(a, b\)\)"),
        ([("a", "b", "c")], TEXT_KEYS, "at index 0"),
        ([("a", 3)], TEXT_KEYS, "Received: 3 at index 0"),
        ([(("a", "b"), 1)], TEXT_KEYS, r"Received: [(]'a', 'b'[)] at index 0"),
        ([float("nan")], TEXT_KEYS, "Received: nan at index 0"),
        (["a\ud800"], TEXT_KEYS, "surrogate.*at index 0"),
        ("abc", TEXT_KEYS, "must be a list. Received: 'abc'"),
        ({"text": "abc"}, TEXT_KEYS, "`text` must be a list. Received: 'abc'"),
        ({"a", "b"}, TEXT_KEYS, "must be a list.*A set has no order"),
        ([{"a", "b"}], TEXT_KEYS, "must be str.*at index 0"),
        (["a", b"\xe9"], TEXT_KEYS, r"UTF-8.*b'\\xe9' at index 1: .* byte 0"),
        (tf.constant([b"a", b"\xe9"]), TEXT_KEYS, "UTF-8.*at index 1"),
        (_dataset([b"a", b"\xe9"]), TEXT_KEYS, "UTF-8.*at index 1"),
        ({"text": [b"\xe9"]}, TEXT_KEYS, "`text` must be UTF-8.*at index 0"),
    ],
)
def test_what_is_no_text_is_named(texts, keys, message):
    with pytest.raises(ValueError, match=message):
        encoded_texts(texts, keys)
