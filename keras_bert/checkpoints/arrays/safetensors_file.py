"""Reader and writer for safetensors files.

A file consists of the header length (eight bytes), a JSON header with the
dtype, shape and offsets of each array, and the array data without gaps. The
safetensors package is not used, because its NumPy API does not support bfloat16
and copies each array.

References:
    [Format](https://huggingface.co/docs/safetensors)
"""

import functools
import json
import math
import struct

import numpy as np
from keras import ops

from keras_bert.checkpoints.arrays.raw_arrays import ITEM_SIZES
from keras_bert.checkpoints.arrays.raw_arrays import check_array
from keras_bert.checkpoints.arrays.raw_arrays import check_float
from keras_bert.checkpoints.arrays.raw_arrays import floats
from keras_bert.checkpoints.arrays.raw_arrays import map_file
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.messages import brief

_LENGTH = struct.Struct("<Q")
_METADATA = "__metadata__"
_DTYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "C64": "complex64",
    **{f"I{bits}": f"int{bits}" for bits in (64, 32, 16, 8)},
    **{f"U{bits}": f"uint{bits}" for bits in (64, 32, 16, 8)},
    "BOOL": "bool",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}


class SafetensorsFile:
    """Reader for the named arrays in a safetensors file.

    Args:
        path: str or `pathlib.Path`.

    Raises:
        CheckpointError: the file cannot be read or is damaged.
    """

    def __init__(self, path):
        self._path = path
        self._data = map_file(path)
        header, self._start = _read_header(path, self._data)
        self._entries = {}
        for name, entry in header.items():
            self._entries[name] = _check_entry(path, name, entry)
        _check_offsets(path, self._entries, len(self._data) - self._start)
        self.shapes = {
            name: shape for name, (_, shape, _, _) in self._entries.items()
        }

    def read(self, name):
        """Read one array, see `OpenedCheckpoint`."""
        dtype, shape, begin, _ = self._entries[name]
        check_float(self._path, name, dtype)
        count = math.prod(shape)
        numbers = floats(self._data, dtype, count, self._start + begin)
        return numbers.reshape(shape)


def write_safetensors(path, arrays):
    """Write a safetensors file of float32 arrays.

    Args:
        path: str or `pathlib.Path`.
        arrays: list of `(name, shape, function)`. The functions return the
            arrays; they are called one by one, to save memory.
    """
    # transformers requires this entry.
    header, end = {_METADATA: {"format": "pt"}}, 0
    for name, shape, _ in arrays:
        begin, end = end, end + 4 * math.prod(shape)
        header[name] = {
            "dtype": "F32",
            "shape": [*shape],
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(_LENGTH.pack(len(text)) + text)
        for _, _, function in arrays:
            array = np.asarray(function(), "<f4", order="C")
            file.write(array.data if array.size else b"")


def _read_header(path, data):
    """Return the header without metadata and the offset of the array data."""
    if len(data) < _LENGTH.size:
        raise CheckpointError(f"{path} is truncated inside its header.")
    (length,) = _LENGTH.unpack_from(data)
    if data[_LENGTH.size : _LENGTH.size + 1] != b"{":
        raise CheckpointError(f"{path} is not a safetensors file.")
    start = _LENGTH.size + length
    if start > len(data):
        raise CheckpointError(
            f"{path} is truncated inside its header: expected at least "
            f"{start} bytes, got {len(data)}. Download it again."
        )
    try:
        header = json.loads(data[_LENGTH.size : start].decode())
    except (ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{path} is damaged: its header must be JSON: {error}."
        ) from None
    header.pop(_METADATA, None)
    return header, start


def _check_entry(path, name, entry):
    """Check a header entry and return its dtype, shape, start and end."""
    try:
        dtype, shape = _DTYPES[entry["dtype"]], entry["shape"]
        begin, end = entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise CheckpointError(
            f"{path} is damaged: {brief(name)} must have a `shape`, two "
            f"`data_offsets` and a `dtype` of {', '.join(_DTYPES)}. "
            f"Received: {brief(entry)}."
        ) from None
    check_array(path, name, shape)
    size = math.prod(shape) * ITEM_SIZES[dtype]
    is_offset = type(begin) is type(end) is int and begin >= 0
    if not is_offset or end - begin != size:
        raise CheckpointError(
            f"{path} is damaged: expected {size} bytes for {name}. Received: "
            f"data_offsets={brief([begin, end])}."
        )
    return dtype, tuple(shape), begin, end


def _check_offsets(path, entries, size):
    """Check that the arrays fill the file without overlaps or gaps."""
    position = 0
    for name in sorted(entries, key=lambda name: entries[name][2:]):
        _, _, begin, end = entries[name]
        if begin != position:
            raise CheckpointError(
                f"{path} is damaged: {name} must begin at byte {position} of "
                f"the array data, not at {begin}."
            )
        position = end
    if position != size:
        raise CheckpointError(
            f"{path} is {'truncated' if size < position else 'damaged'}: "
            f"expected {position} bytes of array data, got {size}. Download "
            "it again."
        )


def write_weights(path, weights):
    """Write variables to a safetensors file.

    Args:
        path: `pathlib.Path`.
        weights: dict mapping names to variables or arrays.
    """
    write_safetensors(
        path,
        [
            (name, tuple(w.shape), functools.partial(ops.convert_to_numpy, w))
            for name, w in weights.items()
        ],
    )
