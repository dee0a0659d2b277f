"""Memory-mapped reader for arrays stored as raw numbers."""

import math
import mmap

import numpy as np

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.messages import brief

# Bytes per element, including dtypes that cannot be read.
ITEM_SIZES = {
    **dict.fromkeys(("complex128",), 16),
    **dict.fromkeys(("float64", "complex64", "int64", "uint64"), 8),
    **dict.fromkeys(("float32", "int32", "uint32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "bool"), 1),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2"), 1),
}

_LFS = b"version https://git-lfs"
_MAX_DIMENSIONS = 32
_MAX_SIZE = 2**60


def map_file(path):
    """Map a file into memory, read-only.

    Raises:
        CheckpointError: the file cannot be read, is empty, or is a pointer of
            Git LFS.
    """
    try:
        with open(path, "rb") as file:
            if not file.read(1):
                raise CheckpointError(f"{path} is empty.")
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise CheckpointError(
            f"{path} cannot be read: {error.strerror}."
        ) from None
    if data[: len(_LFS)] == _LFS:
        raise CheckpointError(
            f"{path} is a Git LFS pointer instead of the file. "
            "Run `git lfs pull`."
        )
    return data


def check_array(path, name, shape):
    """Raise CheckpointError if an array has an invalid name or shape.

    The name must be printable on one line. The shape must be a list or tuple
    of valid sizes.
    """
    if not isinstance(name, str) or not name.isprintable():
        raise CheckpointError(
            f"{path} is damaged: array names must be printable. Received: "
            f"{brief(name)}."
        )
    if (
        not isinstance(shape, list | tuple)
        or len(shape) > _MAX_DIMENSIONS
        or any(type(size) is not int for size in shape)
        or any(not 0 <= size <= _MAX_SIZE for size in shape)
        or math.prod(max(size, 1) for size in shape) > _MAX_SIZE
    ):
        raise CheckpointError(
            f"{path} is damaged: the shape of {name} must be a list of "
            f"non-negative integers. Received: {brief(shape)}."
        )


def check_float(path, name, dtype):
    """Raise CheckpointError unless `floats` supports a dtype."""
    if dtype not in ("float64", "float32", "float16", "bfloat16"):
        raise CheckpointError(
            f"{path}: {name} must have dtype float16, bfloat16, float32 or "
            f"float64. Received: dtype={dtype}."
        )


def floats(data, dtype, count, offset, byte_order="<"):
    """Read numbers from a section of a file.

    Args:
        data: `mmap.mmap` or bytes.
        dtype: str, a dtype that `check_float` accepts.
        count: int, number of values.
        offset: int, offset of the first value in bytes.
        byte_order: "<" for little-endian or ">" for big-endian.

    Returns:
        A float32 array `(count,)` in the machine's byte order. It is a
        read-only view of the file if dtype and byte order match.
    """
    if hasattr(data, "madvise"):  # Free the pages that were read before.
        data.madvise(mmap.MADV_DONTNEED)
    stored = "uint16" if dtype == "bfloat16" else dtype
    stored = np.dtype(stored).newbyteorder(byte_order)
    numbers = np.frombuffer(data, stored, count, offset)
    if dtype == "bfloat16":  # A bfloat16 is the upper half of a float32.
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32, copy=False)
