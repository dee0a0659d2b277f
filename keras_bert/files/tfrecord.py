"""Reader and writer for TFRecord files that do not need TensorFlow.

A record consists of its length (uint64), the masked CRC-32C of the length, the
data and the masked CRC-32C of the data, all little-endian.

References:
    [TFRecord](https://www.tensorflow.org/tutorials/load_data/tfrecord)
"""

import functools
import struct

import google_crc32c
import numpy as np

_HEADER = struct.Struct("<QI")
_LENGTH = struct.Struct("<Q")
_FOOTER = struct.Struct("<I")
_MASK_DELTA = 0xA282EAD8


def write_records(file, records):
    """Append records (a list of bytes) to an open binary file."""
    checksums = np.array([*map(google_crc32c.value, records)], np.uint32)
    footers = mask_crc(checksums).astype("<u4").tobytes()
    parts = []
    for number, record in enumerate(records):
        start = number * _FOOTER.size
        parts += (
            _header(len(record)),
            record,
            footers[start : start + _FOOTER.size],
        )
    file.write(b"".join(parts))


@functools.lru_cache(1 << 12)
def _header(length):
    return _HEADER.pack(length, masked_crc(_LENGTH.pack(length)))


def framed_records(path):
    """Iterate over the serialized records of a TFRecord file.

    Args:
        path: str, a TFRecord file.

    Yields:
        (byte offset, record bytes) pairs.

    Raises:
        ValueError: the file is truncated, or a checksum does not match.
    """
    offset = number = 0
    with open(path, "rb", buffering=1 << 20) as file:
        while header := file.read(_HEADER.size):
            location = record_location(path, number, offset)
            if len(header) < _HEADER.size:
                raise ValueError(
                    f"{location}the file is truncated inside the record "
                    f"header: expected {_HEADER.size} bytes, got {len(header)}."
                )
            length, checksum = _HEADER.unpack(header)
            if checksum != masked_crc(header[: _LENGTH.size]):
                raise ValueError(
                    f"{location}the checksum of its length does not match: the "
                    "file is damaged or not a TFRecord file."
                )
            data = file.read(length + _FOOTER.size)
            if len(data) < length + _FOOTER.size:
                raise ValueError(
                    f"{location}the file is truncated inside the record: "
                    f"expected {length + _FOOTER.size} bytes, got {len(data)}."
                )
            record, footer = data[:length], data[length:]
            if _FOOTER.unpack(footer) != (masked_crc(record),):
                raise ValueError(
                    f"{location}the checksum of its data does not match: the "
                    "file is damaged."
                )
            yield offset, record
            offset += _HEADER.size + len(data)
            number += 1


def record_location(path, number, offset):
    """Return the location of a record, as a prefix for error messages."""
    return f"{path}, record {number} (counted from 0; at byte {offset}): "


def masked_crc(data):
    """Return the masked CRC-32C of bytes."""
    return mask_crc(google_crc32c.value(data))


def mask_crc(crc):
    """Mask a CRC-32C (int or uint32 array) as TFRecord requires."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF
