"""Descriptions of exported tasks for manifests."""

import tensorflow as tf

from keras_bert.version import VERSION

# Manifests omit the command, because it may contain local paths.
NO_COMMAND = {"command": []}


def about(task):
    """Return a JSON-serializable description of a task for the manifest."""
    tokenizer = task.preprocess.tokenizer
    return {
        "task": type(task).__name__,
        "max_seq_length": task.preprocess.seq_length,
        "vocabulary": tokenizer.vocabulary.sha256,
        **tokenizer.settings.facts(),
        "settings": task.settings,
        "versions": {"keras_bert": VERSION, "tensorflow": tf.__version__},
    }
