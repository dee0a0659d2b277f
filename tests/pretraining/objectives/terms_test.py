import keras
import numpy as np
import pytest

from keras_bert.pretraining import LabelTerm


def sums_of(labels, logits):
    """Return the sums of one term with weight 1 for every prediction."""
    labels = np.array(labels, "int32")
    weights = np.ones(labels.shape, "float32")
    sums = LabelTerm("mlm_logits").sums(
        *({"mlm_logits": values} for values in (logits, labels, weights))
    )
    return {name: float(value) for name, value in sums.items()}


def test_one_prediction_in_a_sequence_counts_once():
    sums = sums_of([[0], [1], [0]], np.eye(3, dtype="float32")[:, None])
    assert sums["accuracy"] == 2
    assert sums["weight"] == 3


def test_predictions_of_weight_0_do_not_count():
    logits = np.eye(3, dtype="float32")[None]
    sums = LabelTerm("mlm_logits").sums(
        {"mlm_logits": logits},
        {"mlm_logits": np.array([[0, 1, 0]], "int32")},
        {"mlm_logits": np.array([[1.0, 0.0, 1.0]], "float32")},
    )
    assert float(sums["accuracy"]) == 1
    assert float(sums["weight"]) == 2


def test_of_equal_logits_the_first_is_the_guess():
    logits = np.zeros((2, 4), "float32")
    assert sums_of([0, 1], logits)["accuracy"] == 1
    logits[:, 1:3] = 5
    assert sums_of([1, 2], logits)["accuracy"] == 1


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_labels_keep_their_digits(dtype):
    """Use labels that are equal in bfloat16, and in float16 from 2049 on."""
    logits = np.zeros((1, 4099), "float32")
    logits[0, 4097] = 1
    logits = keras.ops.cast(logits, dtype)
    assert sums_of([4096], logits)["accuracy"] == 0
    assert sums_of([4097], logits)["accuracy"] == 1
