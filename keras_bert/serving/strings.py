"""Strings on their way to a server and back.

TensorFlow's strings are bytes. Those that are no UTF-8 stand in a str as
Python's "surrogateescape" writes them, and in JSON as TensorFlow Serving
wants them: `{"b64": "..."}`.
"""

import base64
import binascii
import reprlib

_BASE64 = "b64"


def to_bytes(text):
    """Encodes a str.

    Raises:
        ValueError: it holds half a surrogate pair.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ValueError(
            "A text must have whole characters. Received: half a surrogate "
            f"pair, {ascii(text[error.start])}."
        ) from None


def from_bytes(data):
    """Decodes bytes."""
    return data.decode("utf-8", "surrogateescape")


def to_json(value):
    """Writes the strings among str, numbers and lists as JSON may have them."""
    if isinstance(value, list):
        return [to_json(item) for item in value]
    if not isinstance(value, str):
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return {_BASE64: base64.b64encode(to_bytes(value)).decode()}
    return value


def from_json(value):
    """Reads what `to_json` made; other values stay as they are.

    Raises:
        ValueError: it is not base64.
    """
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict) or {*value} != {_BASE64}:
        return value
    try:
        return from_bytes(base64.b64decode(value[_BASE64], validate=True))
    except (binascii.Error, TypeError, ValueError):
        raise ValueError(
            f"{_BASE64!r} must be base64. Received: "
            f"{reprlib.repr(value[_BASE64])}."
        ) from None
