"""Checks of the first record of each file, which take no time.

The records of a file are made in one go, so a fault in its lengths, vocabulary
or form shows in the first one already.
"""

import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining.records.record_form import RecordForm
from keras_bert.pretraining.records.record_form import held_features
from keras_bert.pretraining.records.record_form import values_of
from keras_bert.tfrecord import record_place

_ID_FEATURES = (features.INPUT_IDS.name, features.MASKED_LM_IDS.name)


def check_first_records(paths, form, lengths, vocab_size):
    """Raises ValueError unless the first record of each file fits.

    Args:
        paths: list of str, TFRecord files.
        form: str, "static" or "dynamic".
        lengths: dict of int, what the names of lengths in the schema mean;
            "num_tokens" may be anything up to "max_seq_length".
        vocab_size: int, all ids must be below.
    """
    if not paths:
        raise ValueError("`paths` must name record files. Received: none.")
    record_form = RecordForm(
        form,
        lengths,
        source="that is asked for",
        advice=" Pass the `max_seq_length` and `max_predictions_per_seq` that "
        "the records were made with.",
    )
    for path in paths:
        record = _first_record(path)
        held = held_features(record) or {}
        missing = [x.name for x in record_form.schema if x.name not in held]
        other = features.form_of(held)
        if missing and other not in (form, None):
            raise ValueError(
                f"{path}: the records must have the feature `{missing[0]}`. "
                f"Received: records for {other} masking. Read them with "
                f"masking={other!r}."
            )
        fault = record_form.fault(record)
        if fault:
            raise ValueError(record_place(path, 0, 0) + fault)
        for feature in record_form.schema:
            if feature.name in _ID_FEATURES:
                largest = max(values_of(held, feature))
                if largest >= vocab_size:
                    raise ValueError(
                        f"{path}: `{feature.name}` must be below `vocab_size`="
                        f"{vocab_size}. Received: {largest}. Were the records "
                        "made with another vocabulary?"
                    )


def _first_record(path):
    try:
        records = tf.data.TFRecordDataset(path).take(1)
        first = next(records.as_numpy_iterator(), None)
    except tf.errors.OpError as error:
        raise ValueError(
            f"{path} must be a TFRecord file. Received: {error.message}"
        ) from None
    if first is None:
        raise ValueError(f"{path} must hold records. Received: none.")
    return first
