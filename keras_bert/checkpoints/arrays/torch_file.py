"""Reader for `pytorch_model.bin` and similar files that does not need torch.

Since torch 1.6, the file is a zip archive with the pickle `*/data.pkl` and an
entry `*/data/<key>` for each storage. Older files consist of five pickles
(magic number, version, machine, tensors, storage keys), followed by the element
count and the data of each storage.

References:
    [Zip format](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)
"""

import io
import math
import struct
import zipfile

import numpy as np

from keras_bert.checkpoints.arrays.raw_arrays import ITEM_SIZES
from keras_bert.checkpoints.arrays.raw_arrays import check_array
from keras_bert.checkpoints.arrays.raw_arrays import check_float
from keras_bert.checkpoints.arrays.raw_arrays import floats
from keras_bert.checkpoints.arrays.raw_arrays import map_file
from keras_bert.checkpoints.arrays.tensor_pickle import Storage
from keras_bert.checkpoints.arrays.tensor_pickle import Tensor
from keras_bert.checkpoints.arrays.tensor_pickle import load_tensors
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.messages import brief

_MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
_COUNT_SIZE = 8
_MAX_PICKLE = 2**23  # BERT's has about 50 kB.
_ORDERS = {b"little": "<", b"big": ">"}
_WRAPPERS = ("state_dict", "model", "model_state_dict")
# Header of a zip entry: signature, name length, length of extra fields.
_LOCAL = struct.Struct("<4s22xHH")
# Errors of `zipfile` for damaged archives.
_DAMAGES = (
    zipfile.BadZipFile,
    struct.error,
    UnicodeDecodeError,
    ValueError,
    OverflowError,
    NotImplementedError,
    OSError,
    EOFError,
)


class TorchFile:
    """Reader for the named arrays in a state dict saved by PyTorch.

    Values that are not tensors are ignored. No code from the file is run.

    Args:
        path: str or `pathlib.Path`.

    Raises:
        CheckpointError: the file cannot be read, is damaged or contains
            objects other than tensors and plain values.
    """

    def __init__(self, path):
        self._path = path
        self._data = map_file(path)
        self._order = "<"
        try:
            if self._data[:4] == b"PK\3\4":
                values, byte_ranges = self._open_zip()
            else:
                values, byte_ranges = self._open_legacy()
        except CheckpointError:
            raise
        except ValueError as error:
            raise CheckpointError(
                f"{path} cannot be read as a PyTorch checkpoint: {error}."
            ) from None
        self._tensors = _tensors(path, values)
        self._byte_ranges = byte_ranges
        for name, tensor in self._tensors.items():
            _check_tensor(path, name, tensor, byte_ranges)
        self.shapes = {
            name: tensor.shape for name, tensor in self._tensors.items()
        }

    def read(self, name):
        """Read one array, see `OpenedCheckpoint`."""
        tensor = self._tensors[name]
        storage = tensor.storage
        check_float(self._path, name, storage.dtype)
        if not math.prod(tensor.shape):
            return np.zeros(tensor.shape, np.float32)
        item_size = ITEM_SIZES[storage.dtype]
        begin = self._byte_ranges[storage.key][0] + tensor.offset * item_size
        count = _last_index(tensor) - tensor.offset + 1
        numbers = floats(self._data, storage.dtype, count, begin, self._order)
        strides = [numbers.itemsize * stride for stride in tensor.strides]
        return np.lib.stride_tricks.as_strided(
            numbers, tensor.shape, strides, writeable=False
        )

    def _open_zip(self):
        """Return the values and the offset and size of each storage."""
        entries = _read_entries(self._path, self._data)
        names = [name for name in entries if name.endswith("/data.pkl")]
        if len(names) != 1:
            raise ValueError("the zip file must contain one data.pkl")
        root = names[0].removesuffix("data.pkl")
        offset, size = entries.get(f"{root}byteorder", (0, 0))
        if size:
            order = self._data[offset : offset + min(size, 8)]
            if order not in _ORDERS:
                raise ValueError(f"unknown byte order {order}")
            self._order = _ORDERS[order]
        offset, size = entries[names[0]]
        values = load_tensors(io.BytesIO(self._data[offset : offset + size]))
        prefix = f"{root}data/"
        return values, {
            name.removeprefix(prefix): byte_range
            for name, byte_range in entries.items()
            if name.startswith(prefix)
        }

    def _open_legacy(self):
        """Read the format used before torch 1.6, like `_open_zip`."""
        file = io.BytesIO(self._data[:_MAX_PICKLE])
        if self._data[:1] != b"\x80" or load_tensors(file) != _MAGIC_NUMBER:
            raise ValueError("wrong magic number")
        load_tensors(file)  # Skip the version, which is always the same.
        machine = load_tensors(file)
        if not isinstance(machine, dict) or not machine.get("little_endian"):
            raise ValueError("big-endian files are not supported")
        storages = {}
        values, keys = load_tensors(file, storages), load_tensors(file)
        _tensors(self._path, values)
        byte_ranges, position = {}, file.tell()
        for key in keys if isinstance(keys, list) else []:
            if not isinstance(key, str) or key not in storages:
                raise ValueError(f"unknown storage {brief(key)}")
            count = int.from_bytes(
                self._data[position : position + _COUNT_SIZE], "little"
            )
            size = count * ITEM_SIZES[storages[key].dtype]
            position += _COUNT_SIZE
            if position + size > len(self._data):
                raise ValueError("it is truncated or damaged")
            byte_ranges[key] = (position, size)
            position += size
        return values, byte_ranges


def _tensors(path, values):
    """Return a dict mapping names to the tensors of a checkpoint."""
    values = values if isinstance(values, dict) else {}
    tensors = {k: v for k, v in values.items() if isinstance(v, Tensor)}
    if tensors:
        return tensors
    inner = [k for k in _WRAPPERS if isinstance(values.get(k), dict)]
    raise CheckpointError(
        f"{path} must contain a state dict, which maps names to tensors. "
        + (
            f"It has one under the key {brief(inner[0])}: save only this "
            "state dict."
            if inner
            else f"Received the keys: {brief([*values])}."
        )
    )


def _check_tensor(path, name, tensor, byte_ranges):
    """Check that a tensor is inside its storage and the storage is complete."""
    check_array(path, name, tensor.shape)
    check_array(path, name, tensor.strides)
    storage = tensor.storage
    if (
        not isinstance(storage, Storage)
        or type(tensor.offset) is not int
        or tensor.offset < 0
        or type(tensor.shape) is not tuple
        or len(tensor.shape) != len(tensor.strides)
        or math.prod(tensor.shape) > storage.count
        or (math.prod(tensor.shape) and _last_index(tensor) >= storage.count)
    ):
        raise CheckpointError(
            f"{path} is damaged: {name} does not fit within its storage."
        )
    size = storage.count * ITEM_SIZES[storage.dtype]
    stored_size = byte_ranges.get(storage.key, (0, None))[1]
    if stored_size != size:
        raise CheckpointError(
            f"{path} is damaged: expected {size} bytes for the storage of "
            f"{name}, got {stored_size}."
        )


def _last_index(tensor):
    return tensor.offset + sum(
        (size - 1) * stride
        for size, stride in zip(tensor.shape, tensor.strides, strict=True)
    )


def _read_entries(path, data):
    """Return a dict mapping zip entry names to `(offset, size)`.

    `zipfile` reads only the directory of the file, because it would copy the
    entries. The directory takes about eight times its length in memory, so a
    small file cannot exhaust memory.
    """
    try:
        with zipfile.ZipFile(path) as file:
            return _find_entries(path, data, file.infolist())
    except CheckpointError:
        raise
    except _DAMAGES:
        raise CheckpointError(
            f"{path} is a truncated or damaged zip file. Download it again."
        ) from None


def _find_entries(path, data, infos):
    entries = {}
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED:
            raise CheckpointError(
                f"{path}: {brief(info.filename)} must not be compressed."
            )
        offset, size = info.header_offset, info.file_size
        mark, *lengths = _LOCAL.unpack_from(data, offset)
        begin = offset + _LOCAL.size + sum(lengths)
        if (
            offset < 0
            or mark != b"PK\3\4"
            or info.compress_size != size
            or begin + size > len(data)
            or info.filename in entries
        ):
            raise zipfile.BadZipFile
        entries[info.filename] = begin, size
    return entries
