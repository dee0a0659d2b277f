"""Vectorized serialization of arrays as `tf.train.Example`s.

Building protocol messages one by one is slow. All examples of a batch have the
same features, so their bytes form a matrix with one row per example and one
column for each byte that may be needed. Unneeded bytes are dropped at the end.

References:
    [Protocol buffer encoding](
    https://protobuf.dev/programming-guides/encoding/)
"""

import itertools
import typing
from collections.abc import Iterable

import numpy as np

from keras_bert import features

# Field number and wire type 2 (length-delimited) of
# Example.features, Features.feature and its map entry, Feature.int64_list,
# Feature.float_list and the packed values of both lists.
_FIELD_1, _FIELD_2, _FIELD_3 = b"\x0a", b"\x12", b"\x1a"
_LISTS = {"int64": _FIELD_3, "float32": _FIELD_2}

# Column blocks, each a pair of `(num_examples, num_bytes)` matrices: the bytes
# (uint8) and whether to keep them (bool); and the number of bytes to keep in
# each row, `(num_examples,)`.
_Columns: typing.TypeAlias = tuple[
    list[tuple[np.ndarray, np.ndarray]], np.ndarray
]


def serialize_examples(
    values: dict[str, np.ndarray],
    schema: tuple[features.Feature, ...],
    num_tokens: np.ndarray | None = None,
) -> list[bytes]:
    """Serialize examples.

    Args:
        values: arrays `(num_examples, length)` by feature name; integers must
            be at least 0.
        schema: the features to write.
        num_tokens: int `(num_examples,)`, number of values to write for
            features of the length "num_tokens".

    Returns:
        One serialized `tf.train.Example` per example.
    """
    lengths = {features.NUM_TOKENS: num_tokens}
    entries = [
        _entry(feature, values[feature.name], lengths.get(feature.length))
        for feature in schema
    ]
    columns, sizes = _wrap(_FIELD_1, _join(entries))
    matrix = np.concatenate([digits for digits, _ in columns], axis=1)
    needed = np.concatenate([needed for _, needed in columns], axis=1)
    # A bool index reads row by row, so the examples follow each other.
    edges = [0, *np.cumsum(sizes).tolist()]
    flat = matrix[needed].tobytes()
    return [flat[start:end] for start, end in itertools.pairwise(edges)]


def _entry(
    feature: features.Feature, values: np.ndarray, lengths: np.ndarray | None
) -> _Columns:
    """Encode the map entry of a feature: its name and its values."""
    if feature.dtype == "float32":
        packed = _all_kept(np.ascontiguousarray(values, "<f4").view(np.uint8))
    else:
        packed = _varints(values, lengths)
    # Feature { int64_list { value: [packed] } }, from the inside out.
    value = _wrap(_LISTS[feature.dtype], _wrap(_FIELD_1, packed))
    name = feature.name.encode()
    # Names have fewer than 128 bytes, so their length is one digit.
    key = _constant(_FIELD_1 + bytes([len(name)]) + name, len(values))
    return _wrap(_FIELD_1, _join([key, _wrap(_FIELD_2, value)]))


def _varints(values: np.ndarray, lengths: np.ndarray | None = None) -> _Columns:
    """Encode values as base-128 digits, starting with the lowest digit."""
    rest = np.asarray(values, np.uint32)
    # Each digit has 7 bits; divide the bits of the largest value, rounded up.
    num_digits = max(1, -(-int(rest.max(initial=0)).bit_length() // 7))
    # (num_examples, num_values, num_digits)
    digits = np.empty((*rest.shape, num_digits), np.uint8)
    if num_digits == 1 and lengths is None:
        digits[..., 0] = rest
        return _all_kept(digits[..., 0])
    needed = np.empty(digits.shape, bool)
    # Whether a value has a digit at this index; the first digit always exists.
    more = np.ones(rest.shape, bool)
    if lengths is not None:
        more &= np.arange(rest.shape[1]) < np.asarray(lengths)[:, None]
    for index in range(num_digits):
        needed[..., index] = more
        more = more & (rest > 0x7F)
        # Bit 7 means that another digit follows. The cast also keeps bit 7 of
        # `rest`; if it is set, another digit follows anyway.
        digits[..., index] = rest.astype(np.uint8) | more.view(np.uint8) << 7
        rest = rest >> 7
    shape = len(digits), -1  # One row per example.
    needed = needed.reshape(shape)
    return [(digits.reshape(shape), needed)], np.count_nonzero(needed, axis=1)


def _wrap(tag: bytes, part: _Columns) -> _Columns:
    """Prepend the tag and the length to each row."""
    _, sizes = part
    return _join([_constant(tag, len(sizes)), _varints(sizes[:, None]), part])


def _constant(data: bytes, num_rows: int) -> _Columns:
    """Repeat the same bytes in each row."""
    row = np.frombuffer(data, np.uint8)
    return _all_kept(np.broadcast_to(row, (num_rows, len(row))))


def _all_kept(digits: np.ndarray) -> _Columns:
    needed = np.broadcast_to(True, digits.shape)
    return [(digits, needed)], np.full(len(digits), digits.shape[1])


def _join(parts: Iterable[_Columns]) -> _Columns:
    blocks, sizes = zip(*parts, strict=True)
    return list(itertools.chain(*blocks)), sum(sizes)
