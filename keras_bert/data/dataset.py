"""Records to batches for `model.fit` and for the training loop."""

import itertools

import tensorflow as tf

from keras_bert import features

_SHUFFLE_EXAMPLES = 10_000
_INTERLEAVED_FILES = 16


def pretraining_dataset(
    paths,
    batch_size,
    max_seq_length,
    max_predictions_per_seq,
    vocab_size,
    shuffle_seed=None,
):
    """One pass over records of masked sentence pairs.

    Args:
        paths: list of str, TFRecord files of `create_pretraining_data` or of
            google-research/bert.
        batch_size: int, examples in a batch; the last may be smaller.
        max_seq_length: int, length of the sequences in the records.
        max_predictions_per_seq: int, predictions in the records.
        vocab_size: int, all ids must be below.
        shuffle_seed: int, shuffles files and examples, differently at each
            repetition, the same from the same seed. None keeps file order.

    Returns:
        A `tf.data.Dataset` of `(inputs, labels, sample_weights)`, dicts that
        fit `bert_pretrainer`: the inputs are int32; the labels
        `mlm_logits`, int32 `(batch_size, max_predictions_per_seq)`, and
        `nsp_logits`, int32 `(batch_size,)`; the weights float32 like them.

    Raises:
        ValueError: the first record of a file misses a feature, has another
            length or an id beyond the vocabulary.
    """
    if batch_size < 1:
        raise ValueError(
            f"`batch_size` must be at least 1. Received: {batch_size}."
        )
    lengths = {
        "max_seq_length": max_seq_length,
        "max_predictions_per_seq": max_predictions_per_seq,
        "1": 1,
    }
    check_records(paths, lengths, vocab_size)
    files = tf.data.Dataset.from_tensor_slices(paths)
    if shuffle_seed is not None:
        files = files.shuffle(len(paths), seed=shuffle_seed)
    records = files.interleave(
        tf.data.TFRecordDataset,
        cycle_length=min(len(paths), _INTERLEAVED_FILES),
        block_length=16,
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=True,
    )
    if shuffle_seed is not None:
        records = records.shuffle(_SHUFFLE_EXAMPLES, seed=shuffle_seed)
    return (
        records.batch(batch_size)
        .map(
            lambda batch: _parse(batch, lengths, vocab_size),
            num_parallel_calls=tf.data.AUTOTUNE,
            deterministic=True,
        )
        .prefetch(tf.data.AUTOTUNE)
    )


def _parse(serialized, lengths, vocab_size):
    parsed = tf.io.parse_example(
        serialized,
        {
            feature.name: tf.io.FixedLenFeature(
                [lengths[feature.length]], feature.dtype
            )
            for feature in features.PRETRAINING_FEATURES
        },
    )
    for feature in (features.INPUT_IDS, features.MASKED_LM_IDS):
        tf.debugging.assert_less(
            parsed[feature.name],
            tf.constant(vocab_size, tf.int64),
            f"`{feature.name}` must be below `vocab_size`={vocab_size}: "
            "were the records made with another vocabulary?",
        )
    inputs = {
        feature.name: tf.cast(parsed[feature.name], tf.int32)
        for feature in features.PRETRAINING_INPUTS
    }
    mlm_labels = tf.cast(parsed[features.MASKED_LM_IDS.name], tf.int32)
    nsp_labels = parsed[features.NEXT_SENTENCE_LABELS.name][:, 0]
    labels = {
        "mlm_logits": mlm_labels,
        "nsp_logits": tf.cast(nsp_labels, tf.int32),
    }
    weights = {
        "mlm_logits": parsed[features.MASKED_LM_WEIGHTS.name],
        "nsp_logits": tf.ones_like(nsp_labels, tf.float32),
    }
    return inputs, labels, weights


def check_records(paths, lengths, vocab_size):
    """Raises ValueError unless the first record of each file fits."""
    if not paths:
        raise ValueError("`paths` must name record files. Received: none.")
    for path in paths:
        example = _first_example(path)
        for feature in features.PRETRAINING_FEATURES:
            value = example.features.feature.get(feature.name)
            _check_feature(path, feature, value, lengths[feature.length])
        for feature in (features.INPUT_IDS, features.MASKED_LM_IDS):
            ids = example.features.feature[feature.name].int64_list.value
            if max(ids) >= vocab_size:
                raise ValueError(
                    f"{path}: `{feature.name}` must be below "
                    f"`vocab_size`={vocab_size}. Received: {max(ids)}. Were "
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


def _check_feature(path, feature, value, length):
    if value is None:
        raise ValueError(
            f"{path}: the records must have the feature `{feature.name}` "
            f"({feature.meaning}). Received: a record without it."
        )
    is_float = feature.dtype == "float32"
    values = (value.float_list if is_float else value.int64_list).value
    if len(values) != length:
        raise ValueError(
            f"{path}: `{feature.name}` must have {length} {feature.dtype} "
            f"value(s). Received: {len(values)}. Pass the `max_seq_length` "
            "and `max_predictions_per_seq` that the records were made with."
        )
