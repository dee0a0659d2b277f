import types

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.inputs.sentences import as_sentences
from keras_bert.tasks.inputs.sentences import as_tags
from keras_bert.tasks.inputs.sentences import tagged_words


@pytest.mark.parametrize(
    "sentences",
    [
        (("a", "b"), ["c", "d"]),
        np.array([["a", "b"], ["c", "d"]]),
        [np.array(["a", "b"]), ("c", "d")],
        tf.constant([["a", "b"], ["c", "d"]]),
        tf.ragged.constant([["a", "b"], ["c", "d"]]),
        types.SimpleNamespace(tolist=lambda: [["a", "b"], ["c", "d"]]),
    ],
    ids=range(6),
)
def test_words_of_any_container_are_lists(sentences):
    assert as_sentences(sentences) == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    "rows",
    [
        [{"words": ["a", "b"], "tags": ["O", "B-X"]}],
        {"tokens": [["a", "b"]], "ner_tags": [[0, 1]]},
        [{"tokens": np.array([b"a", b"b"]), "tags": np.array([0, 1])}],
        [(["a", "b"], ["O", "B-X"])],
    ],
    ids=range(4),
)
def test_rows_and_columns_hold_words_and_tags(rows):
    words, tags, _ = tagged_words(rows, names=["O", "B-X", "I-X"])
    assert [*map(list, words)] == [["a", "b"]]
    assert [*map(list, tags)] == [["O", "B-X"]]


def test_tags_may_be_indices():
    names = ["O", "B-X", "I-X"]
    for tags in ([[0, 1], [2]], [["O", "B-X"], [np.int64(2)]]):
        assert as_tags(tags, names) == [["O", "B-X"], ["I-X"]]
    assert as_tags([["S-X"]], names) == [["S-X"]]
