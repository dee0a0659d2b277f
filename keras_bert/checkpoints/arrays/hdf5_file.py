"""HDF5 files, as Keras writes them."""

import math
import os

import h5py

from keras_bert.checkpoints.arrays.raw_arrays import check_array
from keras_bert.checkpoints.arrays.raw_arrays import check_float
from keras_bert.checkpoints.arrays.raw_arrays import floats
from keras_bert.checkpoints.arrays.raw_arrays import map_file
from keras_bert.checkpoints.errors import CheckpointError

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_MAX_DATASETS = 2**16
_MAX_DEPTH = 16
_ORDERS = {"<": "<", ">": ">", "|": "<", "=": "<"}


class Hdf5File:
    """The named arrays of an HDF5 file, by the full paths of the datasets.

    Only what lies in the file as plain numbers is let in: no links but the
    plain ones, no other files, no compression.

    Args:
        path: str or `pathlib.Path`.

    Raises:
        CheckpointError: the file cannot be read or is damaged.
    """

    def __init__(self, path):
        self._path = os.fspath(path)
        self._data = map_file(path)
        if self._data[: len(_SIGNATURE)] != _SIGNATURE:
            raise CheckpointError(f"{path} is no HDF5 file.")
        self._places = {}
        try:
            with h5py.File(self._path, "r") as file:
                self._add_group(file, "", 0)
        except CheckpointError:
            raise
        # h5py raises whatever is nearest to what HDF5 says.
        except Exception as error:
            first, *_ = str(error).splitlines() or [""]
            raise CheckpointError(
                f"{path} is damaged or cut off: {first}. Download it again."
            ) from None
        if not self._places:
            raise CheckpointError(f"{path} holds no arrays.")
        self.shapes = {
            name: shape for name, (shape, *_) in self._places.items()
        }

    def read(self, name):
        """Reads one array.

        Args:
            name: str, one of `shapes`.

        Returns:
            A float32 array; a read-only view of the file where it can be.
        """
        shape, dtype, order, offset = self._places[name]
        check_float(self._path, name, dtype)
        count = math.prod(shape)
        if not count:
            offset = 0  # Nothing of it is in the file.
        numbers = floats(self._data, dtype, count, offset, order)
        return numbers.reshape(shape)

    def _add_group(self, group, prefix, depth):
        # A group may hold itself.
        if depth > _MAX_DEPTH or len(self._places) > _MAX_DATASETS:
            raise CheckpointError(f"{self._path} is damaged.")
        for key in group:
            name = f"{prefix}{key}"
            check_array(self._path, name, ())
            link = group.get(key, getlink=True)
            if not isinstance(link, h5py.HardLink):
                raise CheckpointError(
                    f"{self._path}: {name} must be in the file itself. "
                    f"Received: {type(link).__name__}."
                )
            value = group[key]
            if isinstance(value, h5py.Group):
                self._add_group(value, f"{name}/", depth + 1)
            elif isinstance(value, h5py.Dataset):
                self._places[name] = self._check_dataset(name, value)

    def _check_dataset(self, name, dataset):
        """Shape, dtype, byte order and offset."""
        check_array(self._path, name, dataset.shape)
        creation = dataset.id.get_create_plist()
        offset = dataset.id.get_offset()
        size = math.prod(dataset.shape) * dataset.dtype.itemsize
        if (
            creation.get_layout() != h5py.h5d.CONTIGUOUS
            or creation.get_external_count()
            or dataset.id.get_storage_size() != size
        ):
            raise CheckpointError(
                f"{self._path}: {name} must be stored as it is, neither "
                "in pieces nor compressed nor in another file."
            )
        if size and offset + size > len(self._data):
            raise CheckpointError(
                f"{self._path} is cut off: {name} does not fit into it. "
                "Download it again."
            )
        order = _ORDERS[dataset.dtype.byteorder]
        return dataset.shape, dataset.dtype.name, order, offset
