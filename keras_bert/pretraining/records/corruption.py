"""Error messages for corrupted records.

TensorFlow's errors do not name the file. After an error the files are read
again by `read_checked_records`, which names the file and the record.
"""

import contextlib

import tensorflow as tf
from absl import logging

from keras_bert.files.tfrecord import framed_records
from keras_bert.pretraining.records.validation import read_checked_records

# Errors of a `tf.data.Dataset` for damaged or mismatched records.
_FAILURES = (tf.errors.InvalidArgumentError, tf.errors.DataLossError)
_NOISE = ("Graph execution error", "Detected at node", "[[", "File ", "{{")


@contextlib.contextmanager
def corruption_names_file(paths, vocabulary=None, vocab_file="vocab.txt"):
    """Context manager that adds the file and record to dataset errors.

    Args:
        paths: list of str, the TFRecord files that are read in the block.
        vocabulary: `Vocabulary` of the records. If None, only damaged files are
            detected, and invalid features are not.
        vocab_file: str, vocabulary path to show in error messages.

    Raises:
        ValueError: replaces TensorFlow's error. The message names the command
            to inspect the file.
    """
    try:
        yield
    except _FAILURES as error:
        logging.info("Searching for the bad record in %d files.", len(paths))
        fault = _first_fault(paths, vocabulary)
        if fault is None:
            raise ValueError(
                f"A record cannot be used: {_reason(error)} Inspect the files: "
                f"{_next_step(','.join(paths), vocab_file)}"
            ) from None
        path, text = fault
        raise ValueError(
            f"{text} Inspect the file: {_next_step(path, vocab_file)}"
        ) from None


def _first_fault(paths, vocabulary):
    """Return the path of the first invalid file and its error, or None."""
    for path in paths:
        records = framed_records(path)
        if vocabulary is not None:
            records = read_checked_records(path, vocabulary)
        try:
            for _ in records:
                pass
        except ValueError as error:
            return path, str(error)
    return None


def _reason(error):
    """Return the informative line of TensorFlow's message."""
    lines = [line.strip() for line in str(error.message).splitlines()]
    telling = [line for line in lines if line and not line.startswith(_NOISE)]
    reason = telling[-1] if telling else type(error).__name__
    return f"{reason.rstrip('.')}."


def _next_step(path, vocab_file):
    return (
        f"keras-bert inspect_records --input_file={path} "
        f"--vocab_file={vocab_file}"
    )
