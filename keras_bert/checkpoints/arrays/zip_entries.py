"""Places of the entries of a zip file that lie in it as they are.

`zipfile` reads the directory. It would copy the bytes of an entry; their
place is found here, so that they can be looked at where they lie. Nothing is
ever unpacked, and a directory takes some eight times its length in memory:
a small file cannot ask for much.

References:
    [Format](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)
"""

import struct
import zipfile

from keras_bert.checkpoints.arrays.raw_arrays import brief
from keras_bert.checkpoints.errors import CheckpointError

_IS_ENCRYPTED = 1
# What stands before the bytes of an entry: lengths of name and extras.
_LOCAL = struct.Struct("<4s22xHH")
# What `zipfile` raises besides its own error where a directory is damaged.
_DAMAGES = (
    *(zipfile.BadZipFile, struct.error, UnicodeDecodeError, ValueError),
    *(OverflowError, NotImplementedError, OSError, EOFError),
)


def read_entries(path, data):
    """Finds the entries of the zip file of a path and its `mmap.mmap`.

    Returns:
        A dict from names to `(offset, size)` of their bytes in `data`.

    Raises:
        CheckpointError: it is damaged, cut off or compressed.
    """
    try:
        with zipfile.ZipFile(path) as file:
            return _find_entries(path, data, file.infolist())
    except CheckpointError:
        raise
    except _DAMAGES:
        raise _damaged(path) from None


def _find_entries(path, data, infos):
    entries = {}
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or (
            info.flag_bits & _IS_ENCRYPTED
        ):
            raise CheckpointError(
                f"{path}: {brief(info.filename)} must be stored as it is, "
                "neither compressed nor encrypted."
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
            raise _damaged(path)
        entries[info.filename] = begin, size
    return entries


def _damaged(path):
    return CheckpointError(
        f"{path} is cut off or no whole zip file. Download it again."
    )
