"""Reader for the index files of TensorFlow checkpoints.

The format is LevelDB's table: blocks of sorted keys and values, and a final
block with the offsets of the other blocks. A key is stored without the prefix
that it shares with the previous key. TensorFlow's own reader is not used,
because it aborts the process if a number in the index is wrong.

References:
    [Table format](https://github.com/google/leveldb/blob/main/doc/table_format.md)
"""

import struct

import google_crc32c
from google.protobuf.message import DecodeError
from tensorflow.core.protobuf.tensor_bundle_pb2 import BundleEntryProto
from tensorflow.core.protobuf.tensor_bundle_pb2 import BundleHeaderProto

from keras_bert.checkpoints.arrays.raw_arrays import map_file
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.files.tfrecord import mask_crc

_MAX_INDEX = 2**24  # BERT's has about 10 kB, or 30 kB with an optimizer.
_MAX_KEY = 2**12
_CHUNK = 2**20
_FOOTER_SIZE = 48
_MAGIC_NUMBER = struct.pack("<Q", 0xDB4775248B80FB57)
_NUMBER = struct.Struct("<L")
_TRAILER = struct.Struct("<BL")  # Compression type, checksum.
_HEADER_KEY = b""
_SLICE = b"\0"  # Prefix of the keys of partitioned variables.


def read_index(path):
    """Read the `.index` of a TensorFlow checkpoint.

    Returns:
        The `BundleHeaderProto` and a dict mapping names to `BundleEntryProto`s.

    Raises:
        CheckpointError: the file cannot be read or is damaged.
    """
    data = map_file(path)
    if len(data) > _MAX_INDEX:
        raise CheckpointError(f"{path} is too large for a checkpoint index.")
    try:
        return _read_table(bytes(data))
    except CheckpointError as error:
        raise CheckpointError(f"{path} {error}") from None
    except (LookupError, ValueError, struct.error, DecodeError):
        raise CheckpointError(f"{path} is damaged.") from None


def read_varint(data, position):
    """Return a varint (seven bits per byte) and the position after it.

    Raises:
        IndexError: the data end inside the varint.
        ValueError: the varint has more than 64 bits.
    """
    number = shift = 0
    while shift < 64:
        byte = data[position]
        number |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return number, position
    raise ValueError("a varint has more than 64 bits")


def checksum(data, begin, end):
    """Compute the masked CRC-32C of a file section in chunks."""
    crc = 0
    for position in range(begin, end, _CHUNK):
        piece = data[position : min(position + _CHUNK, end)]
        crc = google_crc32c.extend(crc, piece)
    return mask_crc(crc)


def _read_table(data):
    if data[-len(_MAGIC_NUMBER) :] != _MAGIC_NUMBER:
        raise CheckpointError(
            "is truncated or is not a checkpoint index. Download it again."
        )
    footer = data[-_FOOTER_SIZE:]
    _, position = _read_handle(footer, 0)
    index_handle, _ = _read_handle(footer, position)
    entries, total = {}, 0
    for _, handle in _read_block(data, *index_handle):
        for key, value in _read_block(data, *_read_handle(handle, 0)[0]):
            total += len(key)
            if key in entries or total > _MAX_INDEX:
                raise CheckpointError("is damaged.")
            entries[key] = value
    header = BundleHeaderProto.FromString(entries.pop(_HEADER_KEY))
    return header, {
        key.decode(): BundleEntryProto.FromString(value)
        for key, value in entries.items()
        if not key.startswith(_SLICE)
    }


def _read_handle(data, position):
    """Return the offset and size of a block and the position after them."""
    offset, position = read_varint(data, position)
    size, position = read_varint(data, position)
    return (offset, size), position


def _read_block(data, offset, size):
    """Yield the keys and values of a block."""
    block = data[offset : offset + size]
    compression, expected = _TRAILER.unpack_from(data, offset + size)
    if checksum(data, offset, offset + size + 1) != expected:
        raise CheckpointError("is damaged: wrong checksum. Download it again.")
    if compression:
        raise CheckpointError("is compressed, which is not supported.")
    # The last integer is the number of restart points before it.
    (searched,) = _NUMBER.unpack(block[-_NUMBER.size :])
    end = size - (searched + 1) * _NUMBER.size
    position, key = 0, b""
    while position < end:
        shared, position = read_varint(block, position)
        length, position = read_varint(block, position)
        value_length, position = read_varint(block, position)
        value_begin = position + length
        key = key[:shared] + block[position:value_begin]
        position = value_begin + value_length
        if len(key) > _MAX_KEY or position > end:
            raise CheckpointError("is damaged.")
        yield key, block[value_begin:position]
