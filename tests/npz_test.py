import zipfile

import hypothesis
import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest

from keras_bert.npz import READ_ERRORS
from keras_bert.npz import read_array
from keras_bert.npz import write_array

_FEW = hypothesis.settings(max_examples=50, deadline=None)


def _write(path, **values):
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in values.items():
            write_array(archive, name, array)
    return path


def _read(path, name):
    with zipfile.ZipFile(path) as archive:
        return read_array(archive, name)


@_FEW
@hypothesis.given(
    arrays.arrays(
        st.sampled_from(["float32", "int64", "uint8", "bool"]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    )
)
def test_an_array_comes_back_as_it_was(tmp_path_factory, values):
    path = _write(tmp_path_factory.mktemp("npz") / "a.npz", values=values)
    found = _read(path, "values")
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values)
    with np.load(path) as loaded:
        np.testing.assert_array_equal(loaded["values"], values)


def test_text_is_an_array_too(tmp_path):
    assert str(_read(_write(tmp_path / "a.npz", about="{}"), "about")) == "{}"


def test_an_array_that_is_not_there_is_a_damage(tmp_path):
    with pytest.raises(KeyError, match="b.npy"):
        _read(_write(tmp_path / "a.npz", a=[1]), "b")


def test_objects_are_neither_written_nor_read(tmp_path):
    objects = np.array([{}], dtype=object)
    with pytest.raises(ValueError, match="[Oo]bject arrays cannot be"):
        _write(tmp_path / "a.npz", a=objects)
    np.savez(tmp_path / "b.npz", a=objects)
    with pytest.raises(ValueError, match="[Oo]bject arrays cannot be"):
        _read(tmp_path / "b.npz", "a")


def test_a_changed_or_missing_byte_is_a_damage_or_harmless(tmp_path):
    values = np.arange(6.0)
    path = _write(tmp_path / "a.npz", a=values)
    data = path.read_bytes()
    changed = [
        data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
        for place in range(len(data))
        for bit in range(8)
    ]
    num_noticed = 0
    for content in [*changed, *(data[:end] for end in range(len(data)))]:
        path.write_bytes(content)
        try:
            np.testing.assert_array_equal(_read(path, "a"), values)
        except READ_ERRORS:
            num_noticed += 1
    assert num_noticed > 6 * len(data)
