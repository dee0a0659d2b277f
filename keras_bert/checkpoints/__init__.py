"""Directories of weights, in and out."""

from keras_bert.checkpoints.bert import Bert
from keras_bert.checkpoints.directory import from_pretrained
from keras_bert.checkpoints.directory import save_pretrained

__all__ = ["Bert", "from_pretrained", "save_pretrained"]
