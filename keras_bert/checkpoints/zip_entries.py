"""The entries of a zip file whose parts lie in it as they are.

It is read here rather than with `zipfile` so that the numbers can be looked
at where they lie, and so that a hostile file cannot ask for much memory.

References:
    [Format](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)
"""

import struct

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.raw_arrays import brief

_MAX_ENTRIES = 2**17
_MAX_COMMENT = 2**16
_BIG = 2**32 - 1  # Stands where the true number is among the extras.
_BIG_EXTRA = 1
_STORED = 0

# The end of the directory: number of entries, size and offset.
_END = struct.Struct("<4s6xHLL2x")
_BIG_END_POINTER = struct.Struct("<4s4xQ4x")
_BIG_END = struct.Struct("<4s28xQQQ")
# An entry of the directory: flags, method, packed and true size, lengths of
# name, extras and comment, offset.
_ENTRY = struct.Struct("<4s4xHH8xLLHHH8xL")
# What stands before the bytes of an entry: lengths of name and extras.
_LOCAL = struct.Struct("<4s22xHH")
_EXTRA = struct.Struct("<HH")


def read_entries(path, data):
    """Finds the entries of a zip file.

    Args:
        path: str, the file, for messages.
        data: `mmap.mmap` of it.

    Returns:
        A dict from names to `(offset, size)` of their bytes in `data`.

    Raises:
        CheckpointError: it is damaged, cut off or compressed.
    """
    try:
        return _read_directory(path, data)
    except (struct.error, UnicodeDecodeError, OverflowError):
        raise _damaged(path) from None


def _read_directory(path, data):
    count, position, limit = _find_directory(path, data)
    entries = {}
    for _ in range(count):
        mark, flags, method, packed, size, *lengths, offset = (
            _ENTRY.unpack_from(data, position)
        )
        begin, end = position + _ENTRY.size, position + sum(lengths)
        end += _ENTRY.size
        if mark != b"PK\1\2" or end > limit:
            raise _damaged(path)
        name = data[begin : begin + lengths[0]].decode()
        extras = data[begin + lengths[0] : begin + lengths[0] + lengths[1]]
        size, packed, offset = _true_numbers(extras, size, packed, offset)
        if method != _STORED or flags & 1 or packed != size:
            raise CheckpointError(
                f"{path}: {brief(name)} must be stored as it is, neither "
                "compressed nor encrypted."
            )
        if name in entries:
            raise _damaged(path)
        entries[name] = (_find_bytes(path, data, offset, size), size)
        position = end
    return entries


def _find_directory(path, data):
    """Number of entries, where they begin and where they end."""
    earliest = max(0, len(data) - _END.size - _MAX_COMMENT)
    end = data.rfind(b"PK\5\6", earliest)
    if end < 0:
        raise CheckpointError(f"{path} is cut off. Download it again.")
    _, count, size, offset = _END.unpack_from(data, end)
    pointer = end - _BIG_END_POINTER.size
    if pointer >= 0 and data[pointer : pointer + 4] == b"PK\6\7":
        _, place = _BIG_END_POINTER.unpack_from(data, pointer)
        mark, count, size, offset = _BIG_END.unpack_from(data, place)
        if mark != b"PK\6\6":
            raise _damaged(path)
    if count > _MAX_ENTRIES or offset + size > end:
        raise _damaged(path)
    return count, offset, offset + size


def _true_numbers(extras, *numbers):
    """Size, packed size and offset; those that are big are in the extras."""
    while extras:
        kind, length = _EXTRA.unpack_from(extras)
        extra, extras = extras[4 : 4 + length], extras[4 + length :]
        if kind == _BIG_EXTRA:
            wanted = iter(struct.iter_unpack("<Q", extra[: length & ~7]))
            return [
                next(wanted, [number])[0] if number == _BIG else number
                for number in numbers
            ]
    return numbers


def _find_bytes(path, data, offset, size):
    mark, *lengths = _LOCAL.unpack_from(data, offset)
    begin = offset + _LOCAL.size + sum(lengths)
    if mark != b"PK\3\4" or begin + size > len(data):
        raise _damaged(path)
    return begin


def _damaged(path):
    return CheckpointError(f"{path} is no whole zip file. Download it again.")
