"""Options of the data tool, and the contents of its records."""

import numpy as np
import tensorflow as tf

from keras_bert.pretraining import DataOptions


def make_options(**changes):
    values = {
        "max_seq_length": 24,
        "max_predictions_per_seq": 4,
        "dupe_factor": 2,
        "random_seed": 1,
    }
    return DataOptions(**{**values, **changes})


def parse_example(record):
    """Return the arrays of a record by name."""
    example = tf.train.Example.FromString(record).features.feature
    kinds = {name: example[name].WhichOneof("kind") for name in example}
    return {
        name: np.array(getattr(example[name], kind).value)
        for name, kind in kinds.items()
    }


def read_examples(path):
    records = tf.data.TFRecordDataset(path).as_numpy_iterator()
    return [*map(parse_example, records)]


def restored_ids(example):
    """Return the ids with the labels put back."""
    ids = example["input_ids"].copy()
    is_real = example["masked_lm_weights"] > 0
    positions = example["masked_lm_positions"][is_real]
    ids[positions] = example["masked_lm_ids"][is_real]
    return ids


def parts_of(example):
    """Return the ids of A and B with the labels put back."""
    ids = restored_ids(example)
    length = example["input_mask"].sum()
    first_length = length - example["segment_ids"].sum()
    return ids[1 : first_length - 1], ids[first_length : length - 1]
