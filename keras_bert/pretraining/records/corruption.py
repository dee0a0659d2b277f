"""Corrupt records, named with their file.

TensorFlow's errors name an offset without a file, or nothing. The files are
read again by the checked reader, which names both.
"""

import contextlib

import tensorflow as tf
from absl import logging

from keras_bert.pretraining.records.validation import read_checked_records
from keras_bert.tfrecord import framed_records

# What a dataset raises for a record that is damaged or of another form.
_FAILURES = (tf.errors.InvalidArgumentError, tf.errors.DataLossError)
_NOISE = ("Graph execution error", "Detected at node", "[[", "File ", "{{")


@contextlib.contextmanager
def corruption_names_file(paths, vocabulary=None, vocab_file="vocab.txt"):
    """Re-raise a dataset's error with the file and the place of the record.

    Args:
        paths: list of str, the TFRecord files that the block reads.
        vocabulary: the `Vocabulary` that they were made with. Without one,
            only cut or altered files are found, not records of another form.
        vocab_file: str, the path of the vocabulary, for the message.

    Raises:
        ValueError: replaces TensorFlow's error; one line with the next step.
    """
    try:
        yield
    except _FAILURES as error:
        logging.info("Looking for the record in %d file(s).", len(paths))
        fault = _first_fault(paths, vocabulary)
        if fault is None:
            raise ValueError(
                f"A record cannot be used: {_reason(error)} Look into them: "
                f"{_next_step(','.join(paths), vocab_file)}"
            ) from None
        path, text = fault
        raise ValueError(
            f"{text} Look into the file: {_next_step(path, vocab_file)}"
        ) from None


def _first_fault(paths, vocabulary):
    """The first file with a fault and the fault's text, or None."""
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
    """The line of TensorFlow's message that says something."""
    lines = [line.strip() for line in str(error.message).splitlines()]
    telling = [line for line in lines if line and not line.startswith(_NOISE)]
    reason = telling[-1] if telling else type(error).__name__
    return f"{reason.rstrip('.')}."


def _next_step(path, vocab_file):
    return (
        f"keras-bert inspect_records --input_file={path} "
        f"--vocab_file={vocab_file}"
    )
