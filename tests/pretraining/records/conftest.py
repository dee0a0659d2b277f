"""Small static and dynamic records, and files of them."""

import pytest
import tensorflow as tf

from keras_bert.text.wordpiece.vocabulary import CLS
from keras_bert.text.wordpiece.vocabulary import MASK
from keras_bert.text.wordpiece.vocabulary import SEP

_SEQ_LENGTH, _NUM_PREDICTIONS = 12, 3


def _pair(vocabulary, first, second):
    """Return the ids of a pair and the start of segment B."""
    ids = [vocabulary.id_of(t) for t in (CLS, *first, SEP, *second, SEP)]
    return ids, len(first) + 2


@pytest.fixture
def make_static(vocabulary):
    """Create a record; predictions are (position, shown id) pairs."""

    def make(first, second, predictions, label):
        ids, boundary = _pair(vocabulary, first, second)
        padding = [0] * (_SEQ_LENGTH - len(ids))
        unused = [0] * (_NUM_PREDICTIONS - len(predictions))
        shown = [*ids]
        for position, token in predictions:
            shown[position] = vocabulary.id_of(token)
        positions = [position for position, _ in predictions]
        segments = [int(i >= boundary) for i in range(len(ids))]
        return {
            "input_ids": shown + padding,
            "input_mask": [1] * len(ids) + padding,
            "segment_ids": segments + padding,
            "masked_lm_positions": positions + unused,
            "masked_lm_ids": [ids[p] for p in positions] + unused,
            "masked_lm_weights": [1.0] * len(positions) + [0.0] * len(unused),
            "next_sentence_labels": [label],
        }

    return make


@pytest.fixture
def make_dynamic(vocabulary):
    def make(first, second, label):
        ids, boundary = _pair(vocabulary, first, second)
        pieces = [vocabulary.tokens[index] for index in ids]
        return {
            "input_ids": ids,
            "segment_boundary": [boundary],
            "word_starts": [
                int(p not in (CLS, SEP) and not p.startswith("##"))
                for p in pieces
            ],
            "next_sentence_labels": [label],
        }

    return make


@pytest.fixture
def static(make_static):
    """Return a record of 8 of 12 tokens with one prediction of each kind."""
    return make_static(
        ["the", "dog", "##s"],
        ["a", "cat"],
        [(2, MASK), (3, "red"), (5, "a")],
        label=1,
    )


@pytest.fixture
def dynamic(make_dynamic):
    """Return a record of 8 tokens, 5 of them in 4 words."""
    return make_dynamic(["the", "dog", "##s"], ["a", "cat"], label=0)


@pytest.fixture
def write(write_record_file):
    """Write records (dicts of lists, or bytes) and return the path."""

    def write(name, records):
        return write_record_file(
            name,
            [r if isinstance(r, bytes) else _serialize(r) for r in records],
        )

    return write


def _serialize(record):
    example = tf.train.Example()
    for name, values in record.items():
        feature = example.features.feature[name]
        if any(isinstance(value, float) for value in values):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(values)
    return example.SerializeToString()
