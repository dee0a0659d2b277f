"""Text to records to datasets, without a model."""

from keras_bert import lazy

_MEMBERS = {
    "PretrainingDataOptions": "pretraining_data",
    "create_pretraining_data": "pretraining_data",
    "learn_vocabulary": "vocabulary_learning",
    "measure_vocabulary": "vocabulary_learning",
    "pretraining_dataset": "dataset",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
