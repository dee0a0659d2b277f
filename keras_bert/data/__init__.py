"""Text to records to datasets, without a model."""

from keras_bert import lazy

_MEMBERS = {
    "PretrainingDataOptions": "options",
    "TextOptions": "options",
    "create_pretraining_data": "pretraining_data",
    "dynamic_pretraining_dataset": "dynamic_dataset",
    "endless_pretraining_dataset": "dataset",
    "left_to_right_batches": "left_to_right",
    "learn_vocabulary": "vocabulary_learning",
    "measure_vocabulary": "vocabulary_learning",
    "open_sources": "sources",
    "pretraining_dataset": "dataset",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
