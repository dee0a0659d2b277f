"""Directories of weights, in and out."""

from keras_bert import lazy

_MEMBERS = {
    "Bert": "bert",
    "CheckpointError": "errors",
    "from_pretrained": "pretrained",
    "save_pretrained": "pretrained",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
