"""Fast check of record files by the first record of each file.

The records of a file have the same lengths, vocabulary and kind, so the first
record is enough to find a mismatch.
"""

import tensorflow as tf

from keras_bert import features
from keras_bert.files.tfrecord import record_location
from keras_bert.pretraining.records.record_form import RecordForm
from keras_bert.pretraining.records.record_form import record_features
from keras_bert.pretraining.records.record_form import values_of

_ID_FEATURES = (features.INPUT_IDS.name, features.MASKED_LM_IDS.name)


def check_first_records(paths, form, lengths, vocab_size):
    """Raise ValueError unless the first record of each file is valid.

    Args:
        paths: list of str, TFRecord files.
        form: str, "static" or "dynamic".
        lengths: dict mapping the length names of the schema to int.
            "num_tokens" may be any number up to "max_seq_length".
        vocab_size: int, size of the vocabulary. All ids must be below it.
    """
    if not paths:
        raise ValueError("`paths` must not be empty. Received: paths=[].")
    record_form = RecordForm(
        form,
        lengths,
        source="passed here",
        advice=" Pass the `max_seq_length` and `max_predictions_per_seq` that "
        "the records were created with.",
    )
    for path in paths:
        record = _first_record(path)
        held = record_features(record) or {}
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
            raise ValueError(record_location(path, 0, 0) + fault)
        for feature in record_form.schema:
            if feature.name in _ID_FEATURES:
                largest = max(values_of(held, feature))
                if largest >= vocab_size:
                    raise ValueError(
                        f"{path}: `{feature.name}` must be below "
                        f"`vocab_size`={vocab_size}. Received: {largest}. Were "
                        "the records created with a different vocabulary?"
                    )


def _first_record(path):
    try:
        records = tf.data.TFRecordDataset(path).take(1)
        first = next(records.as_numpy_iterator(), None)
    except tf.errors.OpError as error:
        raise ValueError(
            f"{path} is not a valid TFRecord file: {error.message}"
        ) from None
    if first is None:
        raise ValueError(f"{path} must contain records. The file is empty.")
    return first
