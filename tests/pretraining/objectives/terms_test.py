import keras
import numpy as np
import pytest

from keras_bert.pretraining import LabelTerm


def sums_of(labels, logits, weights=1.0):
    """Return the sums of one term."""
    labels = np.array(labels, "int32")
    weights = np.broadcast_to(np.float32(weights), labels.shape)
    sums = LabelTerm("mlm_logits").sums(
        *({"mlm_logits": values} for values in (logits, labels, weights))
    )
    return {name: float(value) for name, value in sums.items()}


def test_predictions_of_weight_0_do_not_count():
    logits = np.eye(3, dtype="float32")
    sums = sums_of([[0, 1, 0]], logits[None], [1.0, 0.0, 1.0])
    assert (sums["accuracy"], sums["weight"]) == (1, 2)
    # One prediction in a sequence.
    sums = sums_of([[0], [1], [0]], logits[:, None])
    assert (sums["accuracy"], sums["weight"]) == (2, 3)


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
