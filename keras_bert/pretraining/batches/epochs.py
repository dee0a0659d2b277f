"""Endless batches of records, shuffled differently in each epoch."""

import tensorflow as tf

from keras_bert import checks
from keras_bert.pretraining.records.corruption import corruption_names_file

SHUFFLE_EXAMPLES = 10_000
_INTERLEAVED_FILES = 16


def read_records(files, num_files):
    """Read the records in a dataset of files, interleaving the files."""
    return files.interleave(
        tf.data.TFRecordDataset,
        cycle_length=min(num_files, _INTERLEAVED_FILES),
        block_length=16,
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=True,
    )


def map_batches(batches, function):
    """Map batches in parallel and keep their order."""
    return batches.map(
        function, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True
    )


def endless_batches(paths, seed, batch_size, first_batch=0):
    """Return an endless dataset of full record batches.

    The last, smaller batch of each epoch is dropped; it has different records
    in each epoch. The order depends only on the seed, so that a run can resume
    at any batch.

    Args:
        paths: list of str, TFRecord files.
        seed: int.
        batch_size: int.
        first_batch: int, number of batches to skip.

    Returns:
        A `tf.data.Dataset` of tuples with the epoch (int64 scalar), the index
        of the batch's first record in the epoch (int64 scalar) and the
        serialized records, string `(batch_size,)`.

    Raises:
        ValueError: the files contain less than one batch, or a file is damaged.
    """
    checks.at_least(1, batch_size=batch_size)
    # Whole epochs are skipped without reading; this needs their record count.
    needed = batch_size if first_batch == 0 else -1
    with corruption_names_file(paths):
        records = tf.data.TFRecordDataset(paths).take(needed).batch(1024)
        count = int(records.reduce(0, lambda count, x: count + tf.size(x)))
    if count < batch_size:
        raise ValueError(
            "The records must fill at least one batch. Received: "
            f"{count} records, batch_size={batch_size}."
        )
    first_epoch, left_out = divmod(first_batch, count // batch_size)
    return (
        tf.data.Dataset.counter(first_epoch)
        .flat_map(
            lambda epoch: number_batches(
                _shuffled_records(paths, seed, epoch).batch(
                    batch_size, drop_remainder=True
                ),
                batch_size,
                epoch,
            )
        )
        .skip(left_out)
    )


def number_batches(batches, batch_size, epoch):
    """Add the epoch and the index of the first record to each batch."""
    return tf.data.Dataset.zip(
        tf.data.Dataset.from_tensors(tf.cast(epoch, tf.int64)).repeat(),
        tf.data.Dataset.counter(0, batch_size),
        batches,
    )


def _shuffled_records(paths, seed, epoch):
    """Return the shuffled records of an epoch.

    Records are shuffled in windows. `Dataset.shuffle` is not used, because an
    iterator over many epochs could not be saved with its buffer.
    """
    shuffle = tf.random.experimental.stateless_shuffle
    seed = tf.stack([tf.constant(seed, tf.int64), epoch])
    files = tf.data.Dataset.from_tensor_slices(shuffle(paths, seed))
    windows = read_records(files, len(paths)).batch(SHUFFLE_EXAMPLES)
    return windows.enumerate(1).flat_map(
        lambda number, records: tf.data.Dataset.from_tensor_slices(
            shuffle(records, tf.random.fold_in(seed, number))
        )
    )
