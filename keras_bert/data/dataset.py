"""Records to batches for `model.fit` and for the training loop."""

import tensorflow as tf

from keras_bert import features
from keras_bert.data.first_record import check_first_records

SHUFFLE_EXAMPLES = 10_000
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
    check_batch_size(batch_size)
    lengths = {
        "max_seq_length": max_seq_length,
        "max_predictions_per_seq": max_predictions_per_seq,
        "1": 1,
    }
    check_first_records(
        paths, features.PRETRAINING_FEATURES, lengths, vocab_size
    )
    files = tf.data.Dataset.from_tensor_slices(paths)
    if shuffle_seed is not None:
        files = files.shuffle(len(paths), seed=shuffle_seed)
    records = read_records(files, len(paths))
    if shuffle_seed is not None:
        records = records.shuffle(SHUFFLE_EXAMPLES, seed=shuffle_seed)
    return (
        records.batch(batch_size)
        .map(
            lambda batch: _parse(batch, lengths, vocab_size),
            num_parallel_calls=tf.data.AUTOTUNE,
            deterministic=True,
        )
        .prefetch(tf.data.AUTOTUNE)
    )


def check_batch_size(batch_size):
    """Raises ValueError unless a batch holds an example."""
    if batch_size < 1:
        raise ValueError(
            f"`batch_size` must be at least 1. Received: {batch_size}."
        )


def read_records(files, num_files):
    """The records of a `tf.data.Dataset` of paths, some files at a time."""
    return files.interleave(
        tf.data.TFRecordDataset,
        cycle_length=min(num_files, _INTERLEAVED_FILES),
        block_length=16,
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=True,
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
        assert_known_ids(feature, parsed[feature.name], vocab_size)
    return as_batch(parsed)


def assert_known_ids(feature, ids, vocab_size):
    """Fails in the graph where an id is beyond the vocabulary."""
    tf.debugging.assert_less(
        ids,
        tf.constant(vocab_size, ids.dtype),
        f"`{feature.name}` must be below `vocab_size`={vocab_size}: "
        "were the records made with another vocabulary?",
    )


def as_batch(values):
    """Tensors under the names of the schema to what `model.fit` takes.

    Args:
        values: dict of tensors `(batch_size, length)`, int64 or int32 and
            float32, under the names of `features.PRETRAINING_FEATURES`.

    Returns:
        `(inputs, labels, sample_weights)`, as of `pretraining_dataset`.
    """
    inputs = {
        feature.name: tf.cast(values[feature.name], tf.int32)
        for feature in features.PRETRAINING_INPUTS
    }
    mlm_labels = tf.cast(values[features.MASKED_LM_IDS.name], tf.int32)
    nsp_labels = values[features.NEXT_SENTENCE_LABELS.name][:, 0]
    labels = {
        "mlm_logits": mlm_labels,
        "nsp_logits": tf.cast(nsp_labels, tf.int32),
    }
    weights = {
        "mlm_logits": values[features.MASKED_LM_WEIGHTS.name],
        "nsp_logits": tf.ones_like(nsp_labels, tf.float32),
    }
    return inputs, labels, weights
