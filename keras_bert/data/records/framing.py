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
    """Appends records to a file.

    Args:
        file: binary file.
        records: list of bytes.
    """
    parts = []
    for record in records:
        length = len(record)
        parts += (
            _HEADER.pack(length, masked_crc(_LENGTH.pack(length))),
            record,
            _FOOTER.pack(masked_crc(record)),
        )
    file.write(b"".join(parts))


def masked_crc(data):
    """The checksum of the format: CRC-32C of bytes, rotated and offset."""
    crc = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF
