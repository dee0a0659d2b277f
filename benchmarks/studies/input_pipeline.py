"""Measure the examples per second of the input pipeline on one core.

    python benchmarks/studies/input_pipeline.py

No model runs; the batches are discarded. Without record files, the program
first creates records of length 128 from random text, with static and dynamic
masking. With your own files:

    python benchmarks/studies/input_pipeline.py --static_file=static.tfrecord \\
        --dynamic_file=dynamic.tfrecord --vocab_size=30522 --mask_id=103
"""

import os
import tempfile
import time

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

from keras_bert import features
from keras_bert.files.tfrecord import write_records
from keras_bert.pretraining import MaskingOptions
from keras_bert.pretraining import dataset as pretraining_dataset
from keras_bert.pretraining import dynamic_dataset
from keras_bert.pretraining.corpus.token_store import Corpus
from keras_bert.pretraining.records.options import DataOptions
from keras_bert.pretraining.records.shards import ShardBuilder
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.text.wordpiece.vocabulary import Vocabulary

_STATIC_FILE = flags.DEFINE_list(
    "static_file", None, "Record files with static masks."
)
_DYNAMIC_FILE = flags.DEFINE_list(
    "dynamic_file", None, "Record files for dynamic masking."
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 64, "Number of examples in a batch."
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length", 128, "Value used to create the records."
)
_MAX_PREDICTIONS_PER_SEQ = flags.DEFINE_integer(
    "max_predictions_per_seq", 20, "Value used to create the records."
)
_VOCAB_SIZE = flags.DEFINE_integer(
    "vocab_size", 30522, "Size of the vocabulary."
)
_MASK_ID = flags.DEFINE_integer("mask_id", 103, "Id of [MASK].")
_SECONDS = flags.DEFINE_float(
    "seconds", 5.0, "Duration of a measurement in seconds."
)
_REPEATS = flags.DEFINE_integer(
    "repeats", 3, "Number of measurements; the best one is reported."
)


def main(argv):
    del argv
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    with tempfile.TemporaryDirectory() as directory:
        static_files, dynamic_files = _STATIC_FILE.value, _DYNAMIC_FILE.value
        if not (static_files or dynamic_files):
            static_files = [_make_records(directory, "static")]
            dynamic_files = [_make_records(directory, "dynamic")]
        for name, dataset in _datasets(static_files, dynamic_files):
            best = max(_measure(dataset) for _ in range(_REPEATS.value))
            print(f"{name}: {best:,.0f} examples/s")


def _datasets(static_files, dynamic_files):
    sizes = (
        _BATCH_SIZE.value,
        _MAX_SEQ_LENGTH.value,
        _MAX_PREDICTIONS_PER_SEQ.value,
        _VOCAB_SIZE.value,
    )
    if static_files:
        dataset = pretraining_dataset(static_files, *sizes, shuffle_seed=1)
        yield "static", dataset.repeat()
    if not dynamic_files:
        return
    for name, whole_words in (("dynamic", False), ("whole words", True)):
        yield (
            name,
            dynamic_dataset(
                dynamic_files,
                *sizes,
                MaskingOptions(_MASK_ID.value, do_whole_word_mask=whole_words),
                seed=1,
            ),
        )


def _measure(dataset):
    """Return the examples per second after the buffers are full."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    options.threading.max_intra_op_parallelism = 1
    batches = iter(dataset.with_options(options))
    for _ in range(100):
        next(batches)
    num_examples, start = 0, time.perf_counter()
    while time.perf_counter() - start < _SECONDS.value:
        inputs, _, _ = next(batches)
        num_examples += inputs[features.INPUT_IDS.name].shape[0]
    return num_examples / (time.perf_counter() - start)


def _make_records(directory, masking, num_documents=2000):
    """Write records of random documents; every fifth piece starts with ##."""
    rng = np.random.default_rng(1)
    num_words = _VOCAB_SIZE.value - len(SPECIAL_TOKENS)
    vocabulary = Vocabulary(
        [
            *SPECIAL_TOKENS,
            *(f"##{n}" if n % 5 == 0 else f"{n}" for n in range(num_words)),
        ]
    )
    lengths = rng.integers(5, 45, (num_documents, 40))
    corpus = Corpus(
        rng.integers(len(SPECIAL_TOKENS), _VOCAB_SIZE.value, lengths.sum()),
        np.cumsum([0, *lengths.flat]),
        np.arange(0, lengths.size + 1, 40),
    )
    options = DataOptions(
        max_seq_length=_MAX_SEQ_LENGTH.value,
        max_predictions_per_seq=_MAX_PREDICTIONS_PER_SEQ.value,
        dupe_factor=1,
        masking=masking,
    )
    path = os.path.join(directory, f"{masking}.tfrecord")
    with open(path, "wb") as file:
        builder = ShardBuilder(corpus, vocabulary, options)
        for records, _ in builder.batches(0, 1):
            write_records(file, records)
    return path


if __name__ == "__main__":
    app.run(main)
