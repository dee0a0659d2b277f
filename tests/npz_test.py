import zipfile

import hypothesis
import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest

from keras_bert.files.npz import READ_ERRORS
from keras_bert.files.npz import read_array
from keras_bert.files.npz import write_array


def _write(path, values):
    with zipfile.ZipFile(path, "w") as archive:
        write_array(archive, "a", values)
    return path


def _read(path, name="a"):
    with zipfile.ZipFile(path) as archive:
        return read_array(archive, name)


@hypothesis.settings(max_examples=50, deadline=None)
@hypothesis.given(
    arrays.arrays(
        st.sampled_from(["float32", "int64", "uint8", "bool"]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    )
)
def test_an_array_comes_back_as_it_was(tmp_path_factory, values):
    path = _write(tmp_path_factory.mktemp("npz") / "a.npz", values)
    with np.load(path) as loaded:
        for found in (_read(path), loaded["a"]):
            assert found.dtype == values.dtype
            np.testing.assert_array_equal(found, values)


def test_objects_are_neither_written_nor_read(tmp_path):
    objects = np.array([{}], dtype=object)
    with pytest.raises(ValueError, match="[Oo]bject arrays cannot be"):
        _write(tmp_path / "a.npz", objects)
    np.savez(tmp_path / "b.npz", a=objects)
    with pytest.raises(ValueError, match="[Oo]bject arrays cannot be"):
        _read(tmp_path / "b.npz")


def test_a_changed_or_missing_byte_is_a_damage_or_harmless(tmp_path):
    values = np.arange(6.0)
    path = _write(tmp_path / "a.npz", values)
    with pytest.raises(KeyError, match="b.npy"):
        _read(path, "b")
    data = path.read_bytes()
    contents = [data[:end] for end in range(len(data))]
    for place in range(len(data)):
        changed = data[place] ^ 1 << place % 8
        contents.append(data[:place] + bytes([changed]) + data[place + 1 :])
    num_noticed = 0
    for content in contents:
        path.write_bytes(content)
        try:
            np.testing.assert_array_equal(_read(path), values)
        except READ_ERRORS:
            num_noticed += 1
    assert num_noticed > 1.6 * len(data)
