"""A task as a module of named graph functions."""

import inspect

import tensorflow as tf


class ServedTask(tf.Module):
    """The functions that a file is made of.

    Args:
        task: an object of `tasks` with `model`, `preprocess` (strings to
            model inputs), `inputs` (their names) and `predict` (model inputs
            to a dict of named tensors), the functions in graph.
    """

    def __init__(self, task):
        super().__init__()
        self.model = task.model  # Tracks the variables.
        self._task = task
        self.from_ids = tf.function(
            lambda *ids: task.predict(dict(zip(task.inputs, ids))),
            input_signature=[
                tf.TensorSpec([None, None], tf.int32, name)
                for name in task.inputs
            ],
        )

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "text")])
    def from_text(self, text):
        return self._task.predict(self._task.preprocess(text))


def about(task):
    """What the manifest of an export tells of its task, a dict for JSON."""
    tokenizer = task.preprocess.tokenizer
    return {
        "task": type(task).__name__,
        "outputs": list(task.outputs),
        "meaning": inspect.getdoc(task.predict),
        "max_seq_length": task.preprocess.seq_length,
        "vocabulary": tokenizer.vocabulary.sha256,
        "do_lower_case": tokenizer.lowercase,
    }
