import h5py
import numpy as np
import pytest

from keras_bert.checkpoints.arrays.hdf5_file import Hdf5File
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.models import bert_pretrainer


def refuse(path, complaint):
    with pytest.raises(CheckpointError, match=complaint) as info:
        Hdf5File(path)
    assert str(path) in str(info.value)
    assert "\n" not in str(info.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.weights.h5"


def test_files_of_keras_are_read(path, tiny_config):
    model = bert_pretrainer(tiny_config)
    model.save_weights(path)
    file = Hdf5File(path)
    assert file.shapes["layers/bert_embeddings/vars/0"] == (30, 8)
    np.testing.assert_array_equal(
        file.read("layers/bert_embeddings/vars/0"),
        np.asarray(model.get_layer("embeddings").word_embeddings),
        strict=True,
    )
    assert len(file.shapes) == len(model.weights)


def test_all_widths_and_orders_become_float32(path):
    arrays = {
        "a": np.float32([[1.5, -2]]),
        "b": np.array([1.5, -2], ">f4"),
        "c": np.float16([1.5, -2]),
        "d": np.float64([1.5, -2]),
        "e": np.float32(1.5),
        "f": np.zeros((0, 3), np.float32),
        "group/deep/x": np.float32([3]),
    }
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array
        file["ids"] = np.arange(3)
    file = Hdf5File(path)
    for name, array in arrays.items():
        assert file.shapes[name] == array.shape
        np.testing.assert_array_equal(
            file.read(name), array.astype(np.float32), strict=True
        )
    assert not file.read("a").flags.owndata
    with pytest.raises(CheckpointError, match="ids must .* int64"):
        file.read("ids")


def test_links_out_of_the_file_are_refused(path, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.zeros(2, np.float32)
    links = {
        "ExternalLink": h5py.ExternalLink(str(tmp_path / "other.h5"), "/x"),
        "SoftLink": h5py.SoftLink("/nowhere"),
    }
    for kind, link in links.items():
        with h5py.File(path, "w") as file:
            file["layers/x"] = link
        refuse(path, f"layers/x must be in the file itself.*{kind}")


def test_numbers_in_other_files_are_refused(path, tmp_path):
    outside = tmp_path / "outside.bin"
    outside.write_bytes(bytes(8))
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (2,), "f4", external=[(str(outside), 0, 8)])
    refuse(path, "x must be stored as it is")


def test_virtual_datasets_are_refused(path, tmp_path):
    source = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", (2,), "f4")
    layout = h5py.VirtualLayout((2,), "f4")
    layout[:] = source
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("x", layout)
    refuse(path, "x must be stored as it is")


@pytest.mark.parametrize(
    "arguments",
    [
        {"data": np.zeros(100, np.float32), "compression": "gzip"},
        {"data": np.zeros(100, np.float32), "chunks": (10,)},
        {"shape": (2**40,), "dtype": "f4", "chunks": (10,)},
        {"shape": (2**40,), "dtype": "f4"},
        {"shape": (3,), "dtype": "f4"},
    ],
)
def test_datasets_that_are_not_plain_are_refused(path, arguments):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", **arguments)
    refuse(path, "x must be stored as it is")


def test_groups_that_hold_themselves_are_refused(path):
    with h5py.File(path, "w") as file:
        group = file.create_group("a/b")
        group["c"] = file["a"]
    refuse(path, "is damaged")


def test_files_without_arrays_are_refused(path):
    with h5py.File(path, "w") as file:
        file.create_group("layers")
    refuse(path, "holds no arrays")


@pytest.mark.parametrize(
    "data, complaint",
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"<html>", "no HDF5 file"),
        (b"\x89HDF\r\n\x1a\n", "damaged or cut off"),
    ],
)
def test_files_of_another_kind_are_explained(path, data, complaint):
    path.write_bytes(data)
    refuse(path, complaint)


def test_any_cut_is_seen(path):
    with h5py.File(path, "w") as file:
        file["x"] = np.zeros(100, np.float32)
    data = path.read_bytes()
    for length in range(0, len(data), 29):
        path.write_bytes(data[:length])
        with pytest.raises(CheckpointError):
            Hdf5File(path)
