"""BERT and its relatives as functional Keras models, dicts in and out."""

from keras_bert import lazy

_MEMBERS = {
    "Backbone": "backbone",
    "ElmoBackbone": "elmo",
    "ElmoOptions": "elmo",
    "Family": "family",
    "HeadKind": "task_model",
    "add_heads": "heads",
    "add_pretraining_heads": "bert",
    "add_task_head": "task_model",
    "bert_encoder": "bert",
    "bert_pretrainer": "bert",
    "encoder": "family",
    "over_choices": "task_model",
    "pretrainer": "family",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, ["family"], _MEMBERS)
