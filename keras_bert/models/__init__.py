"""BERT and its relatives as functional Keras models, dicts in and out."""

from keras_bert.models.backbone import Backbone
from keras_bert.models.bert import add_pretraining_heads
from keras_bert.models.bert import bert_encoder
from keras_bert.models.bert import bert_pretrainer
from keras_bert.models.family import Family
from keras_bert.models.family import encoder
from keras_bert.models.family import pretrainer
from keras_bert.models.heads import add_heads
from keras_bert.models.task_model import HeadKind
from keras_bert.models.task_model import add_task_head
from keras_bert.models.task_model import over_choices

__all__ = [
    "Backbone",
    "Family",
    "HeadKind",
    "add_heads",
    "add_pretraining_heads",
    "add_task_head",
    "bert_encoder",
    "bert_pretrainer",
    "encoder",
    "over_choices",
    "pretrainer",
]
