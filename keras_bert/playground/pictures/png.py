"""Small images of numbers, as addresses that hold the image itself."""

import base64
import struct
import zlib

import numpy as np

_POSITIVE, _NEGATIVE = (59, 130, 246), (234, 88, 12)


def png_address(values, most):
    """An image with a pixel for each number.

    Numbers above 0 are blue, below 0 orange, and the nearer to 0 the more
    the page shines through, be it light or dark.

    Args:
        values: float `(height, width)`.
        most: float above 0, which is full colour.

    Returns:
        str, a `data:` address.
    """
    values = np.asarray(values, np.float32)
    colors = np.where(values[..., None] >= 0, _POSITIVE, _NEGATIVE)
    alpha = np.clip(np.abs(values) / most, 0, 1)[..., None] * 255
    pixels = np.concatenate([colors, alpha], axis=-1).astype(np.uint8)
    encoded = base64.b64encode(_png(pixels)).decode("ascii")
    return f"data:image/png;base64,{encoded}"


def _png(pixels):
    """The bytes of a PNG file of RGBA pixels."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*x) for x in chunks)


def _chunk(kind, data):
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check
