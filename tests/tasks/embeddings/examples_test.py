import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.embeddings.examples import embedding_examples
from keras_bert.template import Template
from keras_bert.text.preprocessor import Preprocessor

_PAIRS = [("the dog", "meat"), ("a cat eats", "fish"), ("the dog", "a bird")]


@pytest.fixture
def preprocess(bert):
    return Preprocessor(bert.tokenizer, Template(), 12)


def test_a_text_that_comes_again_is_held_once(preprocess):
    examples = embedding_examples(preprocess, _PAIRS)
    assert examples.groups.tolist() == [[0, 1], [2, 3], [0, 4]]
    assert len(examples.rows) == 5
    assert examples.lengths.tolist() == [4, 5, 4]
    assert not examples.are_scored_pairs


def test_a_batch_has_the_texts_of_each_example(preprocess):
    examples = embedding_examples(preprocess, _PAIRS)
    inputs, targets, _ = examples.batch(np.array([1, 0]))
    assert inputs["input_ids"].shape == (2, 2, 5)
    for row, text in zip(
        inputs["input_ids"].reshape(4, 5),
        ["a cat eats", "fish", "the dog", "meat"],
    ):
        expected = preprocess([text])["input_ids"].numpy()[0, :5]
        np.testing.assert_array_equal(row, expected)
    assert targets["embedding"].tolist() == [[2, 3], [0, 1]]


def test_scores_are_the_targets_of_scored_pairs(preprocess):
    examples = embedding_examples(preprocess, _PAIRS, [1, 0.5, -1])
    _, targets, _ = examples.batch(np.array([2, 0]))
    assert targets["embedding"].tolist() == [-1, 1]


def test_rows_and_columns_hold_examples(preprocess):
    columns = tuple(map(list, zip(*_PAIRS)))
    scores = [1, 0.5, -1]
    plain = embedding_examples(preprocess, _PAIRS)
    scored = embedding_examples(preprocess, _PAIRS, scores)
    from_tensors = tf.data.Dataset.from_tensor_slices
    named = dict(zip(("anchor", "positive"), columns))
    rows = [dict(zip(named, pair)) for pair in _PAIRS]
    with_scores = [{**row, "label": x} for row, x in zip(rows, scores)]
    for given, expected in (
        ([from_tensors(columns).batch(2)], plain),
        ([named], plain),
        ([rows], plain),
        ([{**named, "label": scores}], scored),
        ([with_scores], scored),
        ([_PAIRS, np.array(scores)[:, None]], scored),
        ([from_tensors((columns, scores))], scored),
    ):
        other = embedding_examples(preprocess, *given)
        np.testing.assert_array_equal(other.groups, expected.groups)
        np.testing.assert_array_equal(other.targets, expected.targets)


def test_a_data_set_of_single_texts_is_an_error(preprocess):
    data = tf.data.Dataset.from_tensor_slices(["the dog", "a cat"])
    with pytest.raises(ValueError, match="pairs or triplets.*the dog"):
        embedding_examples(preprocess, data)
