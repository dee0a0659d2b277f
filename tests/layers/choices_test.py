import keras
import numpy as np
import pytest

from keras_bert.layers import MergeChoices
from keras_bert.layers import SplitChoices

_IDS = np.arange(24, dtype="int32").reshape(2, 3, 4)


def _model():
    """Return a model that scores each choice by the sum of its ids."""
    choices = keras.Input((None, None), dtype="int32")
    rows = MergeChoices()(choices)
    scores = keras.ops.sum(keras.ops.cast(rows, "float32"), -1, keepdims=True)
    return keras.Model(choices, SplitChoices()(scores, choices))


def test_choices_become_rows_in_order():
    rows = keras.ops.convert_to_numpy(MergeChoices()(_IDS))
    assert rows.dtype == np.int32
    assert rows.tolist() == [[*row] for question in _IDS for row in question]


def test_scores_come_back_to_their_choices():
    for ids in (_IDS, _IDS[:1], _IDS[:, :2], _IDS[..., :3]):
        np.testing.assert_array_equal(_model()(ids), ids.sum(axis=-1))


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
    split = SplitChoices()(scores, _IDS[:1])
    np.testing.assert_array_equal(split, scores.reshape(1, 3))
