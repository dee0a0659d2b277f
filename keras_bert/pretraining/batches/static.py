"""`tf.data` pipelines for static records."""

import typing
from collections.abc import Callable

import tensorflow as tf

from keras_bert import checks
from keras_bert import features
from keras_bert.pretraining.batches.epochs import SHUFFLE_EXAMPLES
from keras_bert.pretraining.batches.epochs import endless_batches
from keras_bert.pretraining.batches.epochs import map_batches
from keras_bert.pretraining.batches.epochs import read_records
from keras_bert.pretraining.records.first_record import check_first_records
from keras_bert.pretraining.records.record_form import parse_examples
from keras_bert.typing import Tensors

Batch: typing.TypeAlias = tuple[Tensors, Tensors, Tensors]
"""Inputs, labels and sample weights of a batch by name."""


def dataset(
    paths: list[str],
    batch_size: int,
    max_seq_length: int,
    max_predictions_per_seq: int,
    vocab_size: int,
    shuffle_seed: int | None = None,
) -> tf.data.Dataset:
    """Return a dataset for one pass over static records.

    Args:
        paths: TFRecord files created by `pretraining.create_data` or
            google-research/bert.
        batch_size: number of examples in a batch. The last batch may be
            smaller.
        max_seq_length: length of the sequences in the records.
        max_predictions_per_seq: number of predictions in the records.
        vocab_size: size of the vocabulary. All ids must be below it.
        shuffle_seed: random seed for shuffling files and examples, differently
            in each repetition. If None, the file order is kept.

    Returns:
        A dataset of `(inputs, labels, sample_weights)` tuples of dicts for
        `bert_pretrainer`. The inputs are int32. The labels are `mlm_logits`,
        int32 `(batch_size, max_predictions_per_seq)`, and `nsp_logits`, int32
        `(batch_size,)`. The weights are float32 with the same shapes.

    Raises:
        ValueError: the first record of a file lacks a feature, has a different
            length or an id outside the vocabulary.
    """
    parse = _parser(
        paths, batch_size, max_seq_length, max_predictions_per_seq, vocab_size
    )
    files = tf.data.Dataset.from_tensor_slices(paths)
    if shuffle_seed is not None:
        files = files.shuffle(len(paths), seed=shuffle_seed)
    records = read_records(files, len(paths))
    if shuffle_seed is not None:
        records = records.shuffle(SHUFFLE_EXAMPLES, seed=shuffle_seed)
    return parse(records.batch(batch_size))


def endless_dataset(
    paths: list[str],
    batch_size: int,
    max_seq_length: int,
    max_predictions_per_seq: int,
    vocab_size: int,
    seed: int,
    first_batch: int = 0,
) -> tf.data.Dataset:
    """Return an endless dataset of full batches, reshuffled in each epoch.

    Args:
        paths, batch_size, max_seq_length: see `pretraining.dataset`.
        max_predictions_per_seq, vocab_size: see `pretraining.dataset`.
        seed: random seed for the order.
        first_batch: number of batches to skip, to resume a run.

    Returns:
        An endless dataset with the same batches as `pretraining.dataset`.

    Raises:
        ValueError: the first record of a file is invalid, see
            `pretraining.dataset`, or the files contain less than one batch.
    """
    parse = _parser(
        paths, batch_size, max_seq_length, max_predictions_per_seq, vocab_size
    )
    batches = endless_batches(paths, seed, batch_size, first_batch)
    return parse(batches.map(lambda epoch, first, records: records))


def padded_batches(
    dataset: tf.data.Dataset, batch_size: int
) -> tf.data.Dataset:
    """Pad the last batch to `batch_size` with examples of weight 0."""

    def pad(x: tf.Tensor) -> tf.Tensor:
        missing = batch_size - tf.shape(x)[0]
        # Only the first axis grows; a weight of 0 excludes the new examples.
        padded = tf.pad(x, [[0, missing]] + [[0, 0]] * (x.shape.rank - 1))
        return tf.ensure_shape(padded, [batch_size, *x.shape[1:]])

    return dataset.map(lambda *batch: tf.nest.map_structure(pad, batch))


def _parser(
    paths: list[str],
    batch_size: int,
    max_seq_length: int,
    max_predictions_per_seq: int,
    vocab_size: int,
) -> Callable[[tf.data.Dataset], tf.data.Dataset]:
    """Check the files and return a function that parses batches of records."""
    checks.at_least(1, batch_size=batch_size)
    lengths = {
        features.MAX_SEQ_LENGTH: max_seq_length,
        features.MAX_PREDICTIONS_PER_SEQ: max_predictions_per_seq,
    }
    check_first_records(paths, "static", lengths, vocab_size)

    def parse(serialized: tf.Tensor) -> Batch:
        # Parse whole batches, because one call per record is slow.
        parsed = parse_examples(serialized, features.FORMS["static"], lengths)
        for feature in (features.INPUT_IDS, features.MASKED_LM_IDS):
            assert_known_ids(feature, parsed[feature.name], vocab_size)
        return as_batch(parsed)

    return lambda batches: map_batches(batches, parse).prefetch(
        tf.data.AUTOTUNE
    )


def assert_known_ids(
    feature: features.Feature, ids: tf.Tensor, vocab_size: int
) -> None:
    """Raise an error in the graph if an id is outside the vocabulary."""
    tf.debugging.assert_less(
        ids,
        tf.constant(vocab_size, ids.dtype),
        f"`{feature.name}` must be below `vocab_size`={vocab_size}: were the "
        "records created with a different vocabulary?",
    )


def as_batch(values: Tensors) -> Batch:
    """Convert record tensors to inputs, labels and sample weights.

    Args:
        values: tensors `(batch_size, length)`, int64 or int32 and float32,
            under the names of `features.PRETRAINING_FEATURES`.

    Returns:
        Inputs, labels and sample weights, see `pretraining.dataset`.
    """
    inputs = {
        feature.name: tf.cast(values[feature.name], tf.int32)
        for feature in features.PRETRAINING_INPUTS
    }
    # Records have int64, but TPUs need int32. Labels are [B, P] and [B].
    mlm_labels = tf.cast(values[features.MASKED_LM_IDS.name], tf.int32)
    nsp_labels = values[features.NEXT_SENTENCE_LABELS.name][:, 0]
    labels = {
        "mlm_logits": mlm_labels,
        "nsp_logits": tf.cast(nsp_labels, tf.int32),
    }
    weights = {
        # Padded predictions have weight 0. Each example has a pair label.
        "mlm_logits": values[features.MASKED_LM_WEIGHTS.name],
        "nsp_logits": tf.ones_like(nsp_labels, tf.float32),
    }
    return inputs, labels, weights
