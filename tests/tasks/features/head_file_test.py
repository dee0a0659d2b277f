import keras
import numpy as np
import pytest

from keras_bert.checkpoints import CheckpointError
from keras_bert.tasks.features.feature_based import read_head
from keras_bert.tasks.features.feature_based import write_head


def _head(size=3, name="dense"):
    inputs = keras.Input((2,))
    layer = keras.layers.Dense(size, name=name)
    return keras.Model(inputs, layer(inputs))


def test_a_head_of_another_kind_is_named_and_left_alone(tmp_path):
    write_head(_head(), tmp_path / "head")
    for other, message in (
        (
            _head(4),
            r"dense/bias': \(4,\).*the shapes: .*dense/bias': \(3,\)",
        ),
        (_head(name="last"), "last/bias.*the shapes: .*dense/bias"),
    ):
        before = other.get_weights()
        with pytest.raises(CheckpointError, match=message):
            read_head(other, tmp_path / "head")
        np.testing.assert_array_equal(before[0], other.get_weights()[0])
