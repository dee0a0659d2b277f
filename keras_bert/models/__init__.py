"""BERT as functional Keras models, dicts of named tensors in and out."""

from keras_bert.models.encoder import bert_encoder
from keras_bert.models.pretrainer import add_pretraining_heads
from keras_bert.models.pretrainer import bert_pretrainer

__all__ = ["add_pretraining_heads", "bert_encoder", "bert_pretrainer"]
