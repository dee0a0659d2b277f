"""Validation of record files against the schema.

The first invalid record raises an error that names the file, the record
(counted from 0, with its byte offset), the feature and its value. Records are
checked in batches and examined one by one only if a batch cannot be parsed.
"""

import tensorflow as tf

from keras_bert import features
from keras_bert.files.tfrecord import framed_records
from keras_bert.files.tfrecord import record_location
from keras_bert.pretraining.records.record_form import RecordForm
from keras_bert.pretraining.records.record_form import parse_examples
from keras_bert.pretraining.records.value_rules import first_broken_rule

_BATCH_RECORDS = 1024


def read_checked_records(path, vocabulary):
    """Read and check all records of a file, batch by batch.

    Args:
        path: str, a TFRecord file.
        vocabulary: the `Vocabulary` of the records.

    Yields:
        Dicts of arrays `(num_records, length)` in file order, with the
        features in `features.PRETRAINING_FEATURES`. For dynamic records: the
        features in `features.DYNAMIC_FEATURES`, padded with 0, and
        `input_mask` and `segment_ids`.

    Raises:
        ValueError: the file is truncated or damaged, or a record is invalid.
    """
    number, form = 0, None
    for batch in _batches(path):
        offsets, records = zip(*batch, strict=True)
        form = form or RecordForm.of_first(records[0])
        values, fault = _parse(records, form)
        broken = values and first_broken_rule(values, vocabulary)
        if broken or fault:
            row, text = broken or fault
            raise ValueError(
                record_location(path, number + row, offsets[row]) + text
            )
        yield values
        number += len(records)
    if not number:
        raise ValueError(f"{path} must contain records. The file is empty.")


def _batches(path):
    """Yield lists of (offset, record) pairs."""
    batch = []
    try:
        for record in framed_records(path):
            batch.append(record)
            if len(batch) == _BATCH_RECORDS:
                yield batch
                batch = []
    except ValueError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _parse(records, form):
    """Parse records up to the first invalid one.

    Returns:
        A dict of arrays, or None if the first record is invalid; and the index
        and error message of the invalid record, or None if all are valid.
    """
    try:
        parsed = parse_examples(list(records), form.schema, form.lengths)
        if form.schema is features.DYNAMIC_FEATURES:
            parsed = _padded(parsed)
    except (tf.errors.InvalidArgumentError, ValueError) as error:
        texts = map(form.fault, records)
        faults = [fault for fault in enumerate(texts) if fault[1]]
        # Some invalid records are found only by TensorFlow.
        row, text = faults[0] if faults else (0, str(error))
        values = _parse(records[:row], form)[0] if row else None
        return values, (row, text)
    return {name: tensor.numpy() for name, tensor in parsed.items()}, None


def _padded(parsed):
    """Pad dynamic examples and add `input_mask` and `segment_ids`."""
    ids = parsed[features.TOKEN_IDS.name]
    starts = parsed[features.WORD_STARTS.name]
    length = ids.row_lengths()[:, None]
    if tf.reduce_any((starts.row_lengths()[:, None] != length) | (length == 0)):
        raise ValueError("The features of a record must have equal lengths.")
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
