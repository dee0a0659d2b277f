"""A task as a module of named graph functions."""

import inspect

import tensorflow as tf

from keras_bert import features
from keras_bert.tasks.task import Task


class ServedTask(tf.Module):
    """The functions that a file is made of.

    Args:
        task: a `Task`.
    """

    def __init__(self, task):
        super().__init__()
        self.model = task.model  # Tracks the variables.
        self.from_text = tf.function(
            lambda *texts: task.predict_texts(*texts),
            input_signature=text_signature(task),
        )
        self.from_ids = tf.function(
            lambda *ids: task.predict_ids(dict(zip(task.inputs, ids))),
            input_signature=[
                tf.TensorSpec(_id_shape(task), tf.int32, name)
                for name in task.inputs
            ],
        )


def text_signature(task):
    """The string inputs of a task."""
    return [
        tf.TensorSpec(task.text_shapes.get(name, [None]), tf.string, name)
        for name in task.text_inputs
    ]


def _id_shape(task):
    """The shape that all tensors of a task have, as its model takes ids."""
    return [None] * len(task.model.input[features.INPUT_IDS.name].shape)


def about(task):
    """What the manifest of an export tells of its task, a dict for JSON."""
    tokenizer = task.preprocess.tokenizer
    return {
        "task": type(task).__name__,
        "outputs": list(task.outputs),
        "meaning": inspect.getdoc(_answering(task)),
        "max_seq_length": task.preprocess.seq_length,
        "vocabulary": tokenizer.vocabulary.sha256,
        "do_lower_case": tokenizer.lowercase,
    }


def _answering(task):
    """The method whose docstring tells what the outputs are."""
    is_own = type(task).predict_texts is not Task.predict_texts
    return task.predict_texts if is_own else task.predict_ids
