"""The fields of a protobuf message, without its classes.

References:
    [Protocol buffers](https://protobuf.dev/programming-guides/encoding/)
"""

import struct

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MOST_VARINT_BYTES = 10


def read_fields(data):
    """Yields the number and the value of each field.

    Args:
        data: bytes of a message.

    Yields:
        Pairs of an int and an int, or bytes: of a text or a message, or the
        four or eight bytes of a number of fixed size.

    Raises:
        ValueError: the bytes are no message, or cut.
    """
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == _VARINT:
            value, position = _read_varint(data, position)
            yield number, value
            continue
        if wire_type == _BYTES:
            length, position = _read_varint(data, position)
        elif wire_type in (_FIXED32, _FIXED64):
            length = 4 if wire_type == _FIXED32 else 8
        else:
            raise ValueError(f"no protobuf message: wire type {wire_type}")
        if not number or position + length > len(data):
            raise ValueError(f"cut at byte {len(data)}, or no message")
        yield number, data[position : position + length]
        position += length


def read_float(value):
    """The float of the four bytes of a field."""
    if not isinstance(value, bytes) or len(value) != 4:
        raise ValueError(f"no float: {value!r}")
    return struct.unpack("<f", value)[0]


def bytes_field(number, value):
    """A field that holds bytes: a text or a message."""
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def int_field(number, value):
    """A field that holds an int, a bool or a name."""
    return _varint(number << 3 | _VARINT) + _varint(value % 2**64)


def float_field(number, value):
    """A field that holds a float."""
    return _varint(number << 3 | _FIXED32) + struct.pack("<f", value)


def _read_varint(data, position):
    value = 0
    for place in range(_MOST_VARINT_BYTES):
        if position + place >= len(data):
            break
        byte = data[position + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, position + place + 1
    raise ValueError(f"no number at byte {position}")


def _varint(value):
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
