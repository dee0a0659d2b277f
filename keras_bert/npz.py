"""Arrays in .npz files that carry checksums, one at a time."""

import io
import struct
import zipfile
import zlib

import numpy as np

# What a file raises that is cut off, or of which bytes differ.
DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, ValueError),
    *(KeyError, OSError, EOFError, TypeError, IndexError, MemoryError),
)


def write_array(archive, name, values):
    """Adds an array to a file.

    Args:
        archive: `zipfile.ZipFile`, open for writing.
        name: str, under which `np.load` finds it too.
        values: array, or what NumPy makes one of.
    """
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        np.lib.format.write_array(file, np.asarray(values), allow_pickle=False)


def read_array(archive, name):
    """One array of a file; objects are never unpickled.

    Args:
        archive: `zipfile.ZipFile`.
        name: str, as `write_array` takes it.

    Raises:
        One of `DAMAGES`: it is not there, or not whole.
    """
    # Its checksum is compared before the array is made.
    data = io.BytesIO(archive.read(f"{name}.npy"))
    return np.lib.format.read_array(data, allow_pickle=False)
