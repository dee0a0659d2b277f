"""Records held to the schema: the first that does not conform is an error.

The error names the file, the record (counted from 0, and its place in bytes),
the feature and what it holds. Whole batches are checked at once; a record is
looked at alone only where a batch cannot be parsed.
"""

import struct

import numpy as np
import tensorflow as tf

from keras_bert import features
from keras_bert.data.records.framing import masked_crc
from keras_bert.text.vocabulary import CLS
from keras_bert.text.vocabulary import SEP

_BATCH_RECORDS = 1024
_HEADER = struct.Struct("<QI")
_FOOTER_BYTES = 4
_KINDS = {"int64": "int64_list", "float32": "float_list"}
_NUM_TOKENS = features.TOKEN_IDS.length
# What only unmasked records hold.
_UNMASKED = {features.SEGMENT_BOUNDARY.name, features.WORD_STARTS.name}


def read_checked_records(path, vocabulary):
    """Reads a record file once, with bounded memory, and checks all of it.

    Args:
        path: str, a TFRecord file.
        vocabulary: the `Vocabulary` that it was made with.

    Yields:
        Dicts of arrays `(num_records, length)` in the order of the file, under
        the names of `features.PRETRAINING_FEATURES`. If the first record is
        of the unmasked form, under those of `features.UNMASKED_FEATURES`,
        padded with 0, and `input_mask` and `segment_ids` as well.

    Raises:
        ValueError: the file is cut or damaged, or a record breaks the schema.
    """
    number, parser = 0, None
    for batch in _batches(path):
        offsets, records = zip(*batch)
        parser = parser or _Parser(records[0])
        values, fault = parser.parse(records)
        found = values and _first_broken_rule(values, vocabulary)
        if found or fault:
            row, text = found or fault
            raise ValueError(_place(path, number + row, offsets[row]) + text)
        yield values
        number += len(records)
    if not number:
        raise ValueError(f"{path} must hold records. Received: none.")


def _place(path, number, offset):
    return f"{path}, record {number} (counted from 0; at byte {offset}): "


def _batches(path):
    """Lists of (offset, bytes); those before a damage come before its error."""
    batch, damage = [], None
    try:
        for record in framed_records(path):
            batch.append(record)
            if len(batch) == _BATCH_RECORDS:
                yield batch
                batch = []
    except ValueError as error:
        damage = error
    if batch:
        yield batch
    if damage:
        raise damage


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
            place = _place(path, number, offset)
            if len(header) < _HEADER.size:
                raise ValueError(
                    f"{place}the file is cut. Received: {len(header)} of the "
                    f"{_HEADER.size} bytes of its length and their checksum."
                )
            length, checksum = _HEADER.unpack(header)
            if checksum != masked_crc(header[:8]):
                raise ValueError(
                    f"{place}the checksum of its length does not match: the "
                    "file is damaged or no TFRecord file."
                )
            data = file.read(length + _FOOTER_BYTES)
            if len(data) < length + _FOOTER_BYTES:
                raise ValueError(
                    f"{place}the file is cut. Received: {len(data)} of its "
                    f"{length + _FOOTER_BYTES} bytes."
                )
            record, footer = data[:length], data[length:]
            if int.from_bytes(footer, "little") != masked_crc(record):
                raise ValueError(
                    f"{place}the checksum of its data does not match: the "
                    "file is damaged."
                )
            yield offset, record
            offset += _HEADER.size + len(data)
            number += 1


class _Parser:
    """Parses the records of one file, all of the form of the first.

    Args:
        record: bytes, the first record. It sets the lengths for all.
    """

    def __init__(self, record):
        self._schema = features.PRETRAINING_FEATURES
        if _UNMASKED & {*(_features_of(record) or ())}:
            self._schema = features.UNMASKED_FEATURES
        self._lengths = {"1": 1}
        self._first_fault = self._fault(record)

    def parse(self, records):
        """The arrays of the records before the first that does not parse.

        Returns:
            The dict of arrays, None if there is no such record; and the row
            and the text of the fault after them, or None.
        """
        if self._first_fault:
            return None, (0, self._first_fault)
        try:
            return self._parse_all(records), None
        except (tf.errors.InvalidArgumentError, ValueError) as error:
            row, text = self._find_fault(records, error)
        return (self._parse_all(records[:row]) if row else None), (row, text)

    def _parse_all(self, records):
        specs = {
            feature.name: tf.io.RaggedFeature(
                feature.dtype, row_splits_dtype="int64"
            )
            if feature.length == _NUM_TOKENS
            else tf.io.FixedLenFeature(
                [self._lengths[feature.length]], feature.dtype
            )
            for feature in self._schema
        }
        parsed = tf.io.parse_example(list(records), specs)
        if self._schema is features.UNMASKED_FEATURES:
            parsed = _padded(parsed)
        return {name: tensor.numpy() for name, tensor in parsed.items()}

    def _find_fault(self, records, error):
        for row, record in enumerate(records):
            text = self._fault(record)
            if text:
                return row, text
        return 0, str(error)  # What TensorFlow alone refuses.

    def _fault(self, record):
        """What is wrong with names, types and lengths, or None."""
        held = _features_of(record)
        if held is None:
            return f"it must be a tf.train.Example. Received: {record[:20]}."
        own_lengths = {}
        for feature in self._schema:
            if feature.name not in held:
                return (
                    f"it must have the feature `{feature.name}` "
                    f"({feature.meaning}). Received: "
                    f"{', '.join(sorted(held)) or 'none'}."
                )
            kind = held[feature.name].WhichOneof("kind")
            if kind != _KINDS[feature.dtype]:
                return (
                    f"`{feature.name}` must be {feature.dtype} "
                    f"({_KINDS[feature.dtype]}). Received: {kind}."
                )
            length = len(getattr(held[feature.name], kind).value)
            is_own = feature.length == _NUM_TOKENS
            lengths = own_lengths if is_own else self._lengths
            expected = lengths.setdefault(feature.length, max(length, 1))
            if length != expected:
                return (
                    f"`{feature.name}` must have {expected} value(s), the "
                    f"{feature.length} of this {'record' if is_own else 'file'}"
                    f". Received: {length}."
                )
        return None


def _features_of(record):
    try:
        return tf.train.Example.FromString(record).features.feature
    except Exception:  # The class depends on protobuf's implementation.
        return None


def _padded(parsed):
    """Unmasked examples as matrices, with the mask and the segments."""
    ids = parsed[features.TOKEN_IDS.name]
    starts = parsed[features.WORD_STARTS.name]
    length = ids.row_lengths()[:, None]
    if tf.reduce_any((starts.row_lengths()[:, None] != length) | (length == 0)):
        raise ValueError("The features of a record must have one length.")
    column = tf.range(tf.reduce_max(length))
    mask = tf.cast(column < length, tf.int64)
    in_second = column >= parsed[features.SEGMENT_BOUNDARY.name]
    return {
        **parsed,
        features.TOKEN_IDS.name: ids.to_tensor(),
        features.WORD_STARTS.name: starts.to_tensor(),
        features.INPUT_MASK.name: mask,
        features.SEGMENT_IDS.name: mask * tf.cast(in_second, tf.int64),
    }


def _first_broken_rule(values, vocabulary):
    """The row and the text of the first record that breaks one, or None."""
    first = None
    for feature, expected, is_broken in _rules(values, vocabulary):
        array = values[feature.name]
        row = int(is_broken.any(axis=1).argmax())
        column = int(is_broken[row].argmax())
        if is_broken[row, column] and (first is None or row < first[0]):
            where = f" at position {column}" if array.shape[1] > 1 else ""
            first = (
                row,
                f"`{feature.name}` must {expected}. Received: "
                f"{array[row, column]}{where}.",
            )
    return first


def _rules(values, vocabulary):
    """All rules, as (feature, what it must, where it does not)."""
    mask = values[features.INPUT_MASK.name]
    length = (mask == 1).sum(axis=1, keepdims=True)
    if features.SEGMENT_BOUNDARY.name in values:
        boundary = values[features.SEGMENT_BOUNDARY.name]
        place = values, length, boundary
        rules = [
            (
                features.SEGMENT_BOUNDARY,
                "be where B begins in [CLS] A [SEP] B [SEP], neither empty",
                (boundary < 3) | (boundary > length - 2),
            ),
            *_token_rules(*place, vocabulary, features.SEGMENT_BOUNDARY),
            _word_rule(*place),
        ]
    else:
        in_second = values[features.SEGMENT_IDS.name] != 0
        # In [CLS] A [SEP] B [SEP], where B begins if neither is empty.
        boundary = in_second.argmax(axis=1)[:, None]
        boundary = np.maximum(np.minimum(boundary, length - 2), 3)
        place = values, length, boundary
        rules = [
            *_padding_rules(*place),
            *_token_rules(*place, vocabulary, features.SEGMENT_IDS),
            *_prediction_rules(*place, vocabulary),
        ]
    labels = values[features.NEXT_SENTENCE_LABELS.name]
    is_binary = (labels == 0) | (labels == 1)
    return [*rules, (features.NEXT_SENTENCE_LABELS, "be 0 or 1", ~is_binary)]


def _padding_rules(values, length, boundary):
    ids, mask, segment_ids = (
        values[feature.name] for feature in features.ENCODER_INPUTS
    )
    column = np.arange(ids.shape[1])
    return [
        (
            features.INPUT_MASK,
            "be ones at [CLS] A [SEP] B [SEP], then zeros",
            _rises(mask) | (mask < 0) | (column < 5) & (mask != 1),
        ),
        (
            features.SEGMENT_IDS,
            "be 0 in [CLS] A [SEP] and at padding, 1 in B [SEP]",
            segment_ids != ((column >= boundary) & (column < length)),
        ),
        (
            features.INPUT_IDS,
            "be 0 at padding",
            (column >= length) & (ids != 0),
        ),
    ]


def _word_rule(values, length, boundary):
    starts = values[features.WORD_STARTS.name]
    column = np.arange(starts.shape[1])
    must_start = (column == 1) | (column == boundary)
    may_start = (column > 0) & (column < length)
    may_start &= ~_is_end(column, length, boundary)
    return (
        features.WORD_STARTS,
        f"be 0 or 1, 0 at {CLS} and {SEP}, 1 where A and B begin",
        (starts < must_start) | (starts > may_start),
    )


def _token_rules(values, length, boundary, vocabulary, divider):
    ids = values[features.INPUT_IDS.name]
    cls_id, sep_id = vocabulary.id_of(CLS), vocabulary.id_of(SEP)
    column = np.arange(ids.shape[1])
    return [
        _id_rule(features.INPUT_IDS, ids, vocabulary),
        (
            features.INPUT_IDS,
            f"begin with {CLS}, id {cls_id}",
            (column == 0) & (ids != cls_id),
        ),
        (
            features.INPUT_IDS,
            f"hold {SEP}, id {sep_id}, where `{divider.name}` ends A and B",
            _is_end(column, length, boundary) & (ids != sep_id),
        ),
    ]


def _prediction_rules(values, length, boundary, vocabulary):
    positions = values[features.MASKED_LM_POSITIONS.name]
    labels = values[features.MASKED_LM_IDS.name]
    weights = values[features.MASKED_LM_WEIGHTS.name]
    predicted = weights == 1
    at_word = (positions > 0) & (positions < length)
    at_word &= ~_is_end(positions, length, boundary)
    ascending = np.ones(positions.shape, bool)
    ascending[:, 1:] = positions[:, 1:] > positions[:, :-1]
    padding = f"be 0 where `{features.MASKED_LM_WEIGHTS.name}` is 0.0"
    return [
        (
            features.MASKED_LM_WEIGHTS,
            "be 1.0 at predictions, then 0.0",
            _rises(weights) | ~predicted & (weights != 0),
        ),
        (
            features.MASKED_LM_POSITIONS,
            f"ascend over A and B without {CLS} and {SEP}",
            predicted & ~(at_word & ascending),
        ),
        (features.MASKED_LM_POSITIONS, padding, ~predicted & (positions != 0)),
        _id_rule(features.MASKED_LM_IDS, labels, vocabulary),
        (features.MASKED_LM_IDS, padding, ~predicted & (labels != 0)),
    ]


def _id_rule(feature, ids, vocabulary):
    return (
        feature,
        f"be at least 0 and below the vocabulary's size, {len(vocabulary)}",
        (ids < 0) | (ids >= len(vocabulary)),
    )


def _is_end(position, length, boundary):
    """Whether a position is that of the [SEP] after A or after B."""
    return (position == boundary - 1) | (position == length - 1)


def _rises(values):
    rises = np.zeros(values.shape, bool)
    rises[:, 1:] = values[:, 1:] > values[:, :-1]
    return rises
