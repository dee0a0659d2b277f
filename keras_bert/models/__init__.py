"""BERT and its relatives as functional Keras models, dicts in and out."""

from keras_bert.models.backbone import Backbone
from keras_bert.models.bert import add_pretraining_heads
from keras_bert.models.bert import bert_encoder
from keras_bert.models.bert import bert_pretrainer
from keras_bert.models.family import Family
from keras_bert.models.heads import add_heads

__all__ = [
    "Backbone",
    "Family",
    "add_heads",
    "add_pretraining_heads",
    "bert_encoder",
    "bert_pretrainer",
]
