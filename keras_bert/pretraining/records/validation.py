"""Records held to the schema: the first that does not conform is an error.

The error names the file, the record (counted from 0, and its place in bytes),
the feature and what it holds. Whole batches are checked at once; a record is
looked at by itself only if a batch cannot be parsed.
"""

import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining.records.record_form import RecordForm
from keras_bert.pretraining.records.record_form import parse_examples
from keras_bert.pretraining.records.value_rules import first_broken_rule
from keras_bert.tfrecord import framed_records
from keras_bert.tfrecord import record_place

_BATCH_RECORDS = 1024


def read_checked_records(path, vocabulary):
    """Reads a record file once, with bounded memory, and checks all of it.

    Args:
        path: str, a TFRecord file.
        vocabulary: the `Vocabulary` that it was made with.

    Yields:
        Dicts of arrays `(num_records, length)` in the order of the file, under
        the names of `features.PRETRAINING_FEATURES`. If the first record is
        dynamic, under those of `features.DYNAMIC_FEATURES`, padded with 0,
        and `input_mask` and `segment_ids` as well.

    Raises:
        ValueError: the file is cut or damaged, or a record breaks the schema.
    """
    number, form = 0, None
    for batch in _batches(path):
        offsets, records = zip(*batch, strict=True)
        form = form or RecordForm.of_first(records[0])
        values, fault = _parse(records, form)
        found = values and first_broken_rule(values, vocabulary)
        if found or fault:
            row, text = found or fault
            raise ValueError(
                record_place(path, number + row, offsets[row]) + text
            )
        yield values
        number += len(records)
    if not number:
        raise ValueError(f"{path} must hold records. Received: none.")


def _batches(path):
    """Iterate over lists of (offset, bytes), also of those before damage."""
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
    """Parse the records before the first that does not have the form.

    Returns:
        The dict of arrays, None if there is no such record; and the row and
        the text of the fault after them, or None.
    """
    try:
        parsed = parse_examples(list(records), form.schema, form.lengths)
        if form.schema is features.DYNAMIC_FEATURES:
            parsed = _padded(parsed)
    except (tf.errors.InvalidArgumentError, ValueError) as error:
        texts = map(form.fault, records)
        faults = [fault for fault in enumerate(texts) if fault[1]]
        # Some records are refused by TensorFlow only.
        row, text = faults[0] if faults else (0, str(error))
        values = _parse(records[:row], form)[0] if row else None
        return values, (row, text)
    return {name: tensor.numpy() for name, tensor in parsed.items()}, None


def _padded(parsed):
    """Dynamic examples as matrices, with the mask and the segments."""
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
