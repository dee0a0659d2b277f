"""Functions that read and write single arrays in .npz files."""

import io
import struct
import tokenize
import zipfile
import zlib

import numpy as np

# Exceptions that corrupted or truncated files raise.
READ_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    tokenize.TokenError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    SyntaxError,
    ValueError,
    LookupError,
    OSError,
    EOFError,
    TypeError,
    MemoryError,
)


def write_array(archive, name, values):
    """Add an array to an archive.

    Args:
        archive: `zipfile.ZipFile`, open for writing.
        name: str, key of the array, as in `np.load`.
        values: array, or a value that NumPy can convert to one.
    """
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        np.lib.format.write_array(file, np.asarray(values), allow_pickle=False)


def read_array(archive, name):
    """Read an array from an archive, without unpickling objects.

    Args:
        archive: `zipfile.ZipFile`, open for reading.
        name: str, key of the array.

    Raises:
        One of `READ_ERRORS`: the array is missing or corrupted.
    """
    # Reading all bytes first verifies the checksum.
    data = io.BytesIO(archive.read(f"{name}.npy"))
    return np.lib.format.read_array(data, allow_pickle=False)
