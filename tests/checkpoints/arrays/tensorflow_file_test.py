import pathlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from keras_bert.checkpoints.arrays.tensorflow_file import write_tensorflow
from keras_bert.checkpoints.errors import CheckpointError
from tests.checkpoints.arrays.refusal import check_refused

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "model_garden"
_ARRAYS = [
    ("bert/b", np.arange(6, dtype=np.float32).reshape(2, 3)),
    ("bert/a", np.float32([1.5])),
    ("scalar", np.array(2.5, np.float32)),
    ("empty", np.zeros((0, 3), np.float32)),
]


def files(prefix):
    return sorted(path.name for path in prefix.parent.iterdir())


@pytest.fixture
def prefix(tmp_path):
    return tmp_path / "bert_model.ckpt"


@pytest.fixture
def written(prefix):
    write_tensorflow(prefix, _ARRAYS)
    return prefix


def test_what_is_written_is_read(written):
    file = TensorFlowFile(written)
    assert not file.object_based
    assert file.shapes == {name: array.shape for name, array in _ARRAYS}
    for name, array in _ARRAYS:
        np.testing.assert_array_equal(file.read(name), array, strict=True)
    assert not file.read("bert/b").flags.owndata
    # TensorFlow reads it too.
    assert files(written) == [
        "bert_model.ckpt.data-00000-of-00001",
        "bert_model.ckpt.index",
    ]
    reader = tf.train.load_checkpoint(str(written))
    assert {*reader.get_variable_to_shape_map()} == {n for n, _ in _ARRAYS}
    for name, array in _ARRAYS:
        np.testing.assert_array_equal(reader.get_tensor(name), array)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_all_widths_become_float32(prefix, dtype):
    write_tensorflow(prefix, [("x", tf.constant([1.5, -2], dtype))])
    np.testing.assert_array_equal(
        TensorFlowFile(prefix).read("x"), np.float32([1.5, -2]), strict=True
    )


def test_many_variables_in_many_blocks_are_read(prefix):
    arrays = [
        (f"bert/encoder/layer_{number}/kernel", np.float32([number]))
        for number in range(2000)
    ]
    write_tensorflow(prefix, arrays)
    file = TensorFlowFile(prefix)
    assert len(file.shapes) == len(arrays)
    for name, array in arrays[::100]:
        np.testing.assert_array_equal(file.read(name), array)


@pytest.mark.parametrize("name", ["pretrainer", "encoder", "encoder_v2"])
def test_all_arrays_of_the_model_garden_are_those_of_tensorflow(name):
    prefix = _GOLDEN / name / "bert_model.ckpt"
    file = TensorFlowFile(prefix)
    assert file.object_based
    reader = tf.train.load_checkpoint(str(prefix))
    weights = {
        key: reader.get_tensor(key)
        for key, dtype in reader.get_variable_to_dtype_map().items()
        if dtype == tf.float32
        and ".OPTIMIZER_SLOT" not in key
        and not key.startswith("optimizer/")
    }
    if name == "pretrainer":
        with pytest.raises(CheckpointError, match="global_step must .*=int64"):
            file.read("global_step")
    names = {*file.shapes} - {"global_step"}
    assert len(names) == len(weights)
    # Each array once, by the name there and the key here.
    assert sorted(file.read(n).tobytes() for n in names) == sorted(
        array.tobytes() for array in weights.values()
    )


@pytest.mark.parametrize("name, keys", [("y", "aby"), ("a", None)])
def test_names_that_two_variables_have_give_way_to_keys(prefix, name, keys):
    tf.train.Checkpoint(
        a=tf.Variable([1.0], name="x"),
        b=tf.Variable([2.0], name="x"),
        c=tf.Variable([3.0], name=name),
    ).write(str(prefix))
    if keys is None:
        check_refused(TensorFlowFile, prefix, "contains a twice")
        return
    file = TensorFlowFile(prefix)
    assert file.shapes == {key: (1,) for key in keys}
    assert [file.read(key)[0] for key in keys] == [1, 2, 3]


def test_damaged_numbers_are_seen(written):
    path = written.with_name("bert_model.ckpt.data-00000-of-00001")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    file = TensorFlowFile(written)
    file.read("bert/b")
    with pytest.raises(CheckpointError, match="wrong checksum of scalar"):
        file.read("scalar")
