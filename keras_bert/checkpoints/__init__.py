"""Directories of weights, in and out."""

from keras_bert.checkpoints.bert import Bert
from keras_bert.checkpoints.directory import from_pretrained
from keras_bert.checkpoints.directory import save_pretrained
from keras_bert.checkpoints.errors import CheckpointError

__all__ = ["Bert", "CheckpointError", "from_pretrained", "save_pretrained"]
