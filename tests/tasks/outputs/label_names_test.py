import numpy as np
import pytest

from keras_bert.tasks.outputs.label_names import choose_labels
from keras_bert.tasks.outputs.label_names import label_weights


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["n", "p"]),
        {"n": 0, "p": 1}.keys(),
        {"p": 1, "n": 0},
        {1: "p", 0: "n"},
        {"1": "p", "0": "n"},
    ],
    ids=range(5),
)
def test_labels_are_in_the_order_of_their_ids(labels):
    assert choose_labels(None, labels) == (["n", "p"], None)


def test_labels_of_a_dict_may_be_numbers():
    assert choose_labels(None, {"0": "1", "1": "0"})[0] == ["1", "0"]
    assert choose_labels(None, {"0": 1, "1": 0})[0] == ["1", "0"]


def test_weights_are_in_the_order_of_the_labels():
    weights = label_weights({"z": 5, 0: np.float32(2)}, ["x", "y", "z"])
    assert weights.tolist() == [2, 1, 5] and weights.dtype == np.float32
