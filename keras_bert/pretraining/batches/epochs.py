"""Records for training: epoch after epoch, each in an order of its own."""

import tensorflow as tf

from keras_bert import checks
from keras_bert.pretraining.records.corruption import corruption_names_file

SHUFFLE_EXAMPLES = 10_000
_INTERLEAVED_FILES = 16


def read_records(files, num_files):
    """The records of a `tf.data.Dataset` of paths, some files at a time."""
    return files.interleave(
        tf.data.TFRecordDataset,
        cycle_length=min(num_files, _INTERLEAVED_FILES),
        block_length=16,
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=True,
    )


def map_batches(batches, function):
    """Map batches in parallel, in their order."""
    return batches.map(
        function, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True
    )


def endless_batches(paths, seed, batch_size, first_batch=0):
    """Whole batches of records, without end.

    The rest of an epoch after its last whole batch is dropped; it differs from
    epoch to epoch. The order is a function of only the seed, so that a run can
    go on at any batch.

    Args:
        paths: list of str, TFRecord files.
        seed: int.
        batch_size: int.
        first_batch: int, how many batches to leave out.

    Returns:
        A `tf.data.Dataset` of epochs, int64 scalar; places of the first
        record of the batch in its epoch, int64 scalar; and serialized
        records, string `(batch_size,)`.

    Raises:
        ValueError: the files hold less than a batch, or one is damaged.
    """
    checks.at_least(1, batch_size=batch_size)
    # Whole epochs are left out unread, so the records must be counted.
    needed = batch_size if first_batch == 0 else -1
    with corruption_names_file(paths):
        records = tf.data.TFRecordDataset(paths).take(needed).batch(1024)
        count = int(records.reduce(0, lambda count, x: count + tf.size(x)))
    if count < batch_size:
        raise ValueError(
            "The records must make at least one batch. Received: "
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
    """Batches of records with their epoch and the first one's place in it."""
    return tf.data.Dataset.zip(
        tf.data.Dataset.from_tensors(tf.cast(epoch, tf.int64)).repeat(),
        tf.data.Dataset.counter(0, batch_size),
        batches,
    )


def _shuffled_records(paths, seed, epoch):
    """The records of an epoch.

    Windows of records are shuffled, not a sliding buffer: that has a state,
    and then an iterator over many epochs could not be saved.
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
