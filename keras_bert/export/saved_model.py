"""SavedModels for TensorFlow Serving, with the tokenizer inside."""

import os
import pathlib
import shutil

import tensorflow as tf

from keras_bert.export.served_task import ServedTask
from keras_bert.files import check_writable


def export_saved_model(task, directory):
    """Writes a SavedModel that takes strings.

    Signature `serving_default` takes `text`, string `(batch_size,)`;
    signature `ids` takes the int32 `(batch_size, seq_length)` tensors
    `input_ids`, `input_mask` and `segment_ids`. Both give the outputs of the
    task under their names. Besides TensorFlow's own ops the graph holds two
    of tensorflow-text, `FastBertNormalize` and
    `FastWordpieceTokenizeWithOffsets`, which TensorFlow Serving has.

    Args:
        task: an object of `tasks`.
        directory: str, where the SavedModel goes; it must not exist yet.

    Raises:
        ValueError: the directory exists and is not empty.
    """
    directory = pathlib.Path(directory)
    check_writable(directory.parent)
    if directory.is_file() or directory.exists() and any(directory.iterdir()):
        raise ValueError(
            "`directory` must be new or empty, so that nothing is lost. "
            f"Received: {str(directory)!r}."
        )
    served = ServedTask(task)
    staging = directory.with_name(f".{directory.name}.{os.getpid()}.tmp")
    try:
        tf.saved_model.save(
            served,
            str(staging),
            signatures={
                "serving_default": served.from_text,
                "ids": served.from_ids,
            },
        )
        if directory.exists():
            directory.rmdir()
        os.replace(staging, directory)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
