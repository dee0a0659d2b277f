"""SavedModels for TensorFlow Serving, with the tokenizer inside."""

import os
import pathlib
import shutil

import tensorflow as tf

from keras_bert.export.output import check_saved_model_output
from keras_bert.export.served_task import ServedTask
from keras_bert.export.served_task import about
from keras_bert.files import named_when_full
from keras_bert.outputs import record_directory
from keras_bert.outputs import remove_own


def export_saved_model(task, directory, overwrite=False):
    """Writes a SavedModel that takes strings.

    Signature `serving_default` takes the task's `text_inputs`, such as
    `text`, string `(batch_size,)`, and gives what its `predict_texts` does;
    signature `ids` takes the model's int32 `(batch_size, seq_length)` tensors:
    `input_ids`, `input_mask` and, if it has segments, `segment_ids`, and
    gives what `predict_ids` does. No texts give outputs with no rows. Besides
    TensorFlow's own ops the graph holds two of tensorflow-text,
    `FastBertNormalize` and `FastWordpieceTokenizeWithOffsets`, which
    TensorFlow Serving has. A `manifest.json` tells what it was made of.

    Args:
        task: an object of `tasks`.
        directory: str, where the SavedModel goes: new or empty.
        overwrite: bool, replace a SavedModel that an earlier call has
            written. It stays as it is if the new one cannot be made.

    Raises:
        ValueError: the directory holds something that may not be replaced,
            or the task answers in a way that a graph cannot.
    """
    task.check_servable()
    check_saved_model_output(directory, overwrite=overwrite)
    directory = pathlib.Path(directory)
    served = ServedTask(task)
    staging = directory.with_name(f".{directory.name}.{os.getpid()}.tmp")
    try:
        with named_when_full(directory):
            tf.saved_model.save(
                served,
                str(staging),
                signatures={
                    "serving_default": served.from_text,
                    "ids": served.from_ids,
                },
            )
            record_directory(staging, about(task))
        remove_own(directory)
        os.replace(staging, directory)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
