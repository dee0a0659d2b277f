"""Directories of weights, in and out."""

from keras_bert import lazy

_MEMBERS = {
    "CheckpointError": "errors",
    "Elmo": "elmo",
    "PretrainedModel": "pretrained_model",
    "from_pretrained": "pretrained",
    "read_elmo": "elmo",
    "save_pretrained": "pretrained",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
