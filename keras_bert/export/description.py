"""The description of an export, for programs that did not make it."""

import tensorflow as tf

from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.version import VERSION

# For a manifest: the command may hold paths of the exporting machine.
NO_COMMAND = {"command": []}


def about(task):
    """Describes a task for the manifest of its export, a dict for JSON."""
    tokenizer = task.preprocess.tokenizer
    return {
        "task": type(task).__name__,
        "max_seq_length": task.preprocess.seq_length,
        "vocabulary": tokenizer.vocabulary.sha256,
        **KINDS[tokenizer.kind].facts(tokenizer.settings),
        "settings": task.settings,
        "versions": {
            "keras_bert": VERSION,
            "tensorflow": tf.__version__,
        },
    }


def described_signatures(signatures):
    """Names, dtypes and shapes of the signatures of a `ServedGraph`, for JSON.

    An open size is None.
    """
    return {
        name: {
            "inputs": _described(inputs),
            "outputs": _described(outputs),
        }
        for name, (inputs, outputs) in signatures.items()
    }


def _described(tensors):
    return {
        name: {"dtype": x.dtype.name, "shape": x.shape.as_list()}
        for name, x in tensors.items()
    }
