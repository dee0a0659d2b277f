"""Vectorized serialization of arrays as `tf.train.Example`s.

Building protocol messages one by one is slow. All examples of a batch have the
same features, so their bytes form a matrix with one row per example and one
column for each byte that may be needed. Unneeded bytes are dropped at the end.

References:
    [Protocol buffer encoding](
    https://protobuf.dev/programming-guides/encoding/)
"""

import itertools

import numpy as np

from keras_bert import features

# Field number and wire type 2 (length-delimited) of
# Example.features, Features.feature and its map entry, Feature.int64_list,
# Feature.float_list and the packed values of both lists.
_FIELD_1, _FIELD_2, _FIELD_3 = b"\x0a", b"\x12", b"\x1a"
_LISTS = {"int64": _FIELD_3, "float32": _FIELD_2}


def serialize_examples(values, schema, num_tokens=None):
    """Serialize examples.

    Args:
        values: dict of arrays `(num_examples, length)` by feature name;
            integers must be at least 0.
        schema: tuple of `features.Feature`, the features to write.
        num_tokens: int `(num_examples,)`, number of values to write for
            features of the length "num_tokens".

    Returns:
        A list of bytes, one `tf.train.Example` per example.
    """
    lengths = {features.NUM_TOKENS: num_tokens}
    parts = [
        _entry(feature, values[feature.name], lengths.get(feature.length))
        for feature in schema
    ]
    matrix, needed = _wrap(_FIELD_1, _join(parts))
    edges = [0, *np.cumsum(needed.sum(axis=1)).tolist()]
    flat = matrix[needed].tobytes()
    return [flat[start:end] for start, end in itertools.pairwise(edges)]


def _entry(feature, values, lengths):
    """Encode the map entry of a feature: its name and its values."""
    if feature.dtype == "float32":
        raw = np.ascontiguousarray(values, "<f4").view(np.uint8)
        packed = raw, np.ones(raw.shape, bool)
    else:
        packed = _varints(values, lengths)
    value = _wrap(_LISTS[feature.dtype], _wrap(_FIELD_1, packed))
    name = feature.name.encode()
    key = _constant(_FIELD_1 + bytes([len(name)]) + name, len(values))
    return _wrap(_FIELD_1, _join([key, _wrap(_FIELD_2, value)]))


def _varints(values, lengths=None):
    """Encode values as base-128 digits, starting with the lowest digit."""
    values = np.asarray(values, np.uint32)
    kept = np.ones(values.shape, bool)
    if lengths is not None:
        kept = np.arange(values.shape[1]) < np.asarray(lengths)[:, None]
    num_digits = max(1, -(-int(values.max(initial=0)).bit_length() // 7))
    if num_digits == 1:
        return values.astype(np.uint8), kept
    shifts = np.arange(0, 7 * num_digits, 7, dtype=np.uint32)
    digits = values[..., None] >> shifts
    needed = digits > 0
    needed[..., 0] = True
    more = np.zeros_like(needed)
    more[..., :-1] = needed[..., 1:]
    encoded = (digits & 0x7F | more * np.uint32(0x80)).astype(np.uint8)
    needed &= kept[..., None]
    shape = len(values), -1
    return encoded.reshape(shape), needed.reshape(shape)


def _wrap(tag, part):
    """Prepend the tag and the length to each row."""
    _, needed = part
    lengths = _varints(needed.sum(axis=1)[:, None])
    return _join([_constant(tag, len(needed)), lengths, part])


def _constant(data, num_rows):
    row = np.frombuffer(data, np.uint8)
    shape = num_rows, len(row)
    return np.broadcast_to(row, shape), np.ones(shape, bool)


def _join(parts):
    return tuple(
        np.concatenate(column, axis=1) for column in zip(*parts, strict=True)
    )
