import numpy as np
import pytest

from keras_bert.tasks.fine_tuning.label_names import choose_labels
from keras_bert.tasks.fine_tuning.label_names import label_weights


@pytest.mark.parametrize(
    "labels",
    [
        ["n", "p"],
        np.array(["n", "p"]),
        {"n": 0, "p": 1}.keys(),
        {"p": 1, "n": 0},
        {1: "p", 0: "n"},
        {"1": "p", "0": "n"},
    ],
    ids=range(6),
)
def test_labels_are_in_the_order_of_their_ids(labels):
    assert choose_labels(None, labels) == (["n", "p"], None)


def test_labels_of_a_dict_may_be_numbers():
    assert choose_labels(None, {"0": "1", "1": "0"})[0] == ["1", "0"]
    assert choose_labels(None, {"0": 1, "1": 0})[0] == ["1", "0"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("ab", "must be a list. Received: 'ab'"),
        ({"a", "b"}, "must be a list.*A set has no order"),
        (2, "must be a list. Received: 2"),
        ({"p": 1, "n": 2}, "with all ids from 0.*'p': 1"),
        ({"p": 1, "n": 1}, "with all ids from 0"),
        ({"p": "good", "n": "bad"}, "with all ids from 0"),
        (["a", "a"], "two different names"),
        ([1, 2], r"two different names \(str\).*\[1, 2\]"),
    ],
    ids=range(8),
)
def test_other_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        choose_labels(None, labels)


def test_weights_are_in_the_order_of_the_labels():
    weights = label_weights({"z": 5, 0: np.float32(2)}, ["x", "y", "z"])
    assert weights.tolist() == [2, 1, 5] and weights.dtype == np.float32
    assert label_weights({}, ["x", "y"]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.array([1.0, 2.0]), r"dict\(zip\(labels, weights\)\)"),
        ([1.0, 2.0], r"dict\(zip\(labels, weights\)\)"),
        ({"y": 5, 1: 7}, "each label once"),
        ({"y": "5"}, "finite, .*'5'"),
        ({"y": float("nan")}, "finite, .*nan"),
        ({"y": -1}, "at least 0"),
        ({"q": 1}, "one of x, y.*'q'"),
        (dict.fromkeys(range(100_000), 1.0), "from 0 to 1"),
    ],
    ids=range(8),
)
def test_other_weights_are_refused_in_a_short_message(weights, message):
    with pytest.raises(ValueError, match=message) as caught:
        label_weights(weights, ["x", "y"])
    assert len(str(caught.value)) < 600
