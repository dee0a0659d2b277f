"""Text to records to datasets, without a model."""

from keras_bert import lazy

_MEMBERS = {
    "PretrainingDataOptions": "examples.options",
    "TextOptions": "examples.options",
    "create_pretraining_data": "jobs.job",
    "dynamic_pretraining_dataset": "batches.dynamic",
    "endless_pretraining_dataset": "batches.static",
    "left_to_right_batches": "batches.views",
    "learn_byte_pair": "corpus.byte_pair_learning",
    "learn_sentencepiece": "corpus.sentencepiece_learning",
    "learn_vocabulary": "corpus.vocabulary_learning",
    "learn_wordpiece": "corpus.vocabulary_learning",
    "measure_tokenizer": "corpus.learning",
    "measure_vocabulary": "corpus.vocabulary_learning",
    "open_sources": "corpus.sources",
    "pretraining_dataset": "batches.static",
    "read_codah": "labelled.multiple_choice",
    "read_columns": "labelled.tables",
    "read_conll": "labelled.conll",
    "read_glue": "labelled.glue",
    "read_squad": "labelled.squad",
    "read_swag": "labelled.multiple_choice",
    "read_table": "labelled.tables",
    "read_tfds": "labelled.tfds",
    "token_batches": "batches.views",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
