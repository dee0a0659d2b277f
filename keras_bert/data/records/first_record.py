"""What is wrong with record files, told by their first records.

That takes no time. The records of a file are made in one go, so what is wrong
with its lengths, vocabulary or form is wrong with the first already.
"""

import itertools

import tensorflow as tf

from keras_bert import features

_IDS = (features.INPUT_IDS.name, features.MASKED_LM_IDS.name)
# For each form a feature that the other has not, and how to read that one.
_OTHER_FORMS = {
    features.UNMASKED_FEATURES: (
        features.MASKED_LM_IDS.name,
        "static masking; read them with --masking=static "
        "(`pretraining_dataset`)",
    ),
    features.PRETRAINING_FEATURES: (
        features.SEGMENT_BOUNDARY.name,
        "dynamic masking; read them with --masking=dynamic "
        "(`dynamic_pretraining_dataset`)",
    ),
}


def check_first_records(paths, schema, lengths, vocab_size):
    """Raises ValueError unless the first record of each file fits.

    Args:
        paths: list of str, TFRecord files.
        schema: `features.PRETRAINING_FEATURES` or
            `features.UNMASKED_FEATURES`.
        lengths: dict of int, what the names of lengths in the schema mean;
            "num_tokens" may be anything up to "max_seq_length".
        vocab_size: int, all ids must be below.
    """
    if not paths:
        raise ValueError("`paths` must name record files. Received: none.")
    for path in paths:
        example = _first_example(path)
        _check_form(path, schema, example)
        found = {
            feature.name: _check_feature(path, feature, example, lengths)
            for feature in schema
        }
        for name in _IDS:
            if name in found and max(found[name]) >= vocab_size:
                raise ValueError(
                    f"{path}: `{name}` must be below `vocab_size`="
                    f"{vocab_size}. Received: {max(found[name])}. Were "
                    "the records made with another vocabulary?"
                )


def _first_example(path):
    try:
        serialized = list(itertools.islice(tf.data.TFRecordDataset(path), 1))
    except tf.errors.OpError as error:
        raise ValueError(
            f"{path} must be a TFRecord file. Received: {error.message}"
        ) from None
    if not serialized:
        raise ValueError(f"{path} must hold records. Received: none.")
    try:
        return tf.train.Example.FromString(serialized[0].numpy())
    except Exception:
        raise ValueError(
            f"{path}: the first record is no tf.train.Example."
        ) from None


def _check_form(path, schema, example):
    name, form = _OTHER_FORMS[schema]
    missing = [f for f in schema if f.name not in example.features.feature]
    if missing and name in example.features.feature:
        raise ValueError(
            f"{path}: the records must have the feature `{missing[0].name}`. "
            f"Received: records for {form}."
        )


def _check_feature(path, feature, example, lengths):
    """The values of a feature, if it is there and they are as many."""
    if feature.name not in example.features.feature:
        raise ValueError(
            f"{path}: the records must have the feature `{feature.name}` "
            f"({feature.meaning}). Received: a record without it."
        )
    value = example.features.feature[feature.name]
    is_float = feature.dtype == "float32"
    values = (value.float_list if is_float else value.int64_list).value
    if feature.length == "num_tokens":
        limit = lengths["max_seq_length"]
        is_good, expected = 0 < len(values) <= limit, f"1 to {limit}"
    else:
        expected = lengths[feature.length]
        is_good = len(values) == expected
    if not is_good:
        raise ValueError(
            f"{path}: `{feature.name}` must have {expected} {feature.dtype} "
            f"value(s). Received: {len(values)}. Pass the `max_seq_length` "
            "and `max_predictions_per_seq` that the records were made with."
        )
    return values
