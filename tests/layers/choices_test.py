import keras
import numpy as np
import pytest

from keras_bert.layers import MergeChoices
from keras_bert.layers import SplitChoices


@pytest.mark.parametrize(
    "shape, rows",
    [
        ((2, 3, 4), (6, 4)),
        ((None, 3, 4), (None, 4)),
        ((2, None, None), (None, None)),
    ],
)
def test_symbolic_shapes_may_vary(shape, rows):
    choices = keras.Input(batch_shape=shape, dtype="int32")
    merged = MergeChoices()(choices)
    assert (merged.shape, merged.dtype) == (rows, "int32")
    scores = keras.Input(batch_shape=(rows[0], 1))
    split = SplitChoices()(scores, choices)
    assert (split.shape, split.dtype) == (shape[:2], "float32")


def test_scores_stay_exact_under_a_mixed_policy():
    keras.config.set_dtype_policy("mixed_bfloat16")
    scores = np.array([[1.0], [1.001], [0.999]], "float32")
    split = SplitChoices()(scores, np.ones((1, 3, 4), "int32"))
    np.testing.assert_array_equal(split, scores.reshape(1, 3))
