"""The framing of TFRecord files, without TensorFlow.

A record is its length (uint64), the masked CRC-32C of the length, the data
and the masked CRC-32C of the data, all little-endian.

References:
    [TFRecord](https://www.tensorflow.org/tutorials/load_data/tfrecord)
"""

import struct

import google_crc32c

_HEADER = struct.Struct("<QI")
_LENGTH = struct.Struct("<Q")
_FOOTER = struct.Struct("<I")
_MASK_DELTA = 0xA282EAD8


def write_records(file, records):
    """Append records, a list of bytes, to a binary file."""
    parts = []
    for record in records:
        length = len(record)
        parts += (
            _HEADER.pack(length, masked_crc(_LENGTH.pack(length))),
            record,
            _FOOTER.pack(masked_crc(record)),
        )
    file.write(b"".join(parts))


def framed_records(path):
    """Reads the records of a file by their framing only.

    Args:
        path: str, a TFRecord file.

    Yields:
        The place in bytes and the bytes of each record.

    Raises:
        ValueError: the file is cut, or a checksum does not match.
    """
    offset = number = 0
    with open(path, "rb", buffering=1 << 20) as file:
        while header := file.read(_HEADER.size):
            place = record_place(path, number, offset)
            if len(header) < _HEADER.size:
                raise ValueError(
                    f"{place}the file is cut. Received: {len(header)} of the "
                    f"{_HEADER.size} bytes of its length and their checksum."
                )
            length, checksum = _HEADER.unpack(header)
            if checksum != masked_crc(header[: _LENGTH.size]):
                raise ValueError(
                    f"{place}the checksum of its length does not match: the "
                    "file is damaged or no TFRecord file."
                )
            data = file.read(length + _FOOTER.size)
            if len(data) < length + _FOOTER.size:
                raise ValueError(
                    f"{place}the file is cut. Received: {len(data)} of its "
                    f"{length + _FOOTER.size} bytes."
                )
            record, footer = data[:length], data[length:]
            if _FOOTER.unpack(footer) != (masked_crc(record),):
                raise ValueError(
                    f"{place}the checksum of its data does not match: the "
                    "file is damaged."
                )
            yield offset, record
            offset += _HEADER.size + len(data)
            number += 1


def record_place(path, number, offset):
    """The place of a record, as the beginning of an error."""
    return f"{path}, record {number} (counted from 0; at byte {offset}): "


def masked_crc(data):
    """The checksum of the format: CRC-32C of bytes, rotated and offset."""
    return mask_crc(google_crc32c.value(data))


def mask_crc(crc):
    """Rotates and offsets a CRC-32C, as the format wants it."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF
