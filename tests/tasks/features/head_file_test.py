import keras
import numpy as np
import pytest

from keras_bert.checkpoints import CheckpointError
from keras_bert.tasks.features.feature_based import read_head
from keras_bert.tasks.features.feature_based import write_head


def _head(name="dense"):
    inputs = keras.Input((2,))
    return keras.Model(inputs, keras.layers.Dense(3, name=name)(inputs))


def test_a_head_of_another_kind_is_named_and_left_alone(tmp_path):
    write_head(_head(), tmp_path / "head")
    other = _head("last")
    before = other.get_weights()
    message = "last/bias.*the shapes: .*dense/bias"
    with pytest.raises(CheckpointError, match=message):
        read_head(other, tmp_path / "head")
    np.testing.assert_array_equal(before[0], other.get_weights()[0])
